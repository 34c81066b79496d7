/**
 * Builds the documentation site: `npm run docs`. It fails when a link leads nowhere.
 */
import { join } from 'node:path'
import { allPages, repository } from '../../test/docs/pages.js'
import { buildSite } from './buildSite.js'

const folder = join(repository, process.argv[2] ?? 'site')
const { pages, broken } = buildSite({ repository, folder, pages: allPages().map(({ path }) => path) })
for (const line of broken) console.error(line)
console.log(
  `${pages} pages in ${folder}; ${broken.length === 0 ? 'every link leads somewhere' : `${broken.length} links lead nowhere`}. Open ${join(folder, 'index.html')}`,
)
process.exitCode = broken.length === 0 ? 0 : 1
