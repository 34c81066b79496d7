/**
 * The files of the dashboard, read once at the start: a request can only name one of them, never a path on the disk.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256 } from '../encoding/hash.js'

export type StaticFile = {
  readonly type: string
  readonly bytes: Buffer
  readonly etag: string
  readonly lasting: boolean
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

/** Where the build puts them, seen from the sources and from the built code alike. */
const folder = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url))

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Carillon</title>
<p>The dashboard has not been built. Run <code>npm run build</code> and start again; the API at <code>/api/v1</code> works meanwhile.</p></html>`

const fileOf = (bytes: Buffer, name: string): StaticFile => ({
  type: types[extname(name)] ?? 'application/octet-stream',
  bytes,
  etag: `"${sha256(bytes.toString('base64')).slice(0, 24)}"`,
  // Vite puts a hash of the content into these names.
  lasting: name.startsWith('assets/'),
})

export const readStaticFiles = (): ReadonlyMap<string, StaticFile> => {
  if (!existsSync(join(folder, 'index.html'))) return new Map([['', fileOf(Buffer.from(notBuilt), 'index.html')]])
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const files = new Map(names.map((name) => [name, fileOf(readFileSync(join(folder, name)), name)]))
  const index = files.get('index.html')
  return index === undefined ? files : files.set('', index)
}
