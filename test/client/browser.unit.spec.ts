/** The client as a page in a browser gets it. */
import { expect } from 'chai'
import type { connect as connectTo } from 'carillon/client'
import { build, type BuildOptions, type BuildResult } from 'esbuild'
import { gzipSync } from 'node:zlib'
import { repository } from '../docs/pages.js'

const bundle = (source: string): Promise<BuildResult<BuildOptions & { write: false; metafile: true }>> =>
  build({
    stdin: { contents: source, resolveDir: repository, loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['carillon-source'],
    logLevel: 'silent',
  })

describe('The client in a browser', () => {
  it('needs nothing of Node.js and is at most 30 KB, compressed', async () => {
    const { outputFiles, metafile } = await bundle(`export * from 'carillon/client'`)
    const outside = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external))
    expect(outside).to.deep.equal([])
    const [file] = outputFiles
    expect(file?.text).not.to.match(/['"`]node:/)
    expect(gzipSync(file!.contents).length).to.be.within(1_000, 30 * 1024)
  })

  it('could not be bundled if it did import something of Node.js', async () => {
    const failed = await bundle(`import { readFileSync } from 'node:fs'; console.log(readFileSync)`).catch(String)
    expect(failed).to.include('node:fs')
  })

  it('works as it was bundled, with what browsers have', async () => {
    const { outputFiles } = await bundle(`export * from 'carillon/client'`)
    const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`
    const { connect } = (await import(url)) as { readonly connect: typeof connectTo }
    const asked: unknown[] = []
    const client = connect('', undefined, {
      fetch: (address, { method, body }) => {
        asked.push([method, address, JSON.parse(body ?? 'null')])
        return Promise.resolve(Response.json(method === 'POST' ? { flow: 'f1' } : { ended: true, result: 7 }))
      },
    })
    expect(await client.run('shop/Order', { pieces: 1 }, { clientId: 'order-1' })).to.equal(7)
    expect(asked).to.deep.equal([
      ['POST', '/api/v1/flows', { flow: 'shop/Order', input: { pieces: 1 }, clientId: 'order-1' }],
      ['GET', '/api/v1/flows/f1/result', null],
    ])
  })
})
