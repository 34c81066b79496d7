/**
 * Compares what the package promises with the reports in `api/`, one for each entry: every public name with its type, as
 * the build declares them. A report that is out of date fails, and so does a public signature that names a type which no
 * entry exports. With `--write` the reports are written anew. It was built before.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  ExtractorMessageCategory,
  type ExtractorMessage,
} from '@microsoft/api-extractor'
import ts from 'typescript'
import { packageEntries, type PackageEntry } from './packageEntries.js'

const isWriting = process.argv.includes('--write')
const silent = { default: { logLevel: ExtractorLogLevel.None } }
const heard = { logLevel: ExtractorLogLevel.Warning }
const entries = packageEntries()
const scratch = mkdtempSync(join(tmpdir(), 'carillon-api-'))
mkdirSync(join(scratch, 'kept'))
mkdirSync('api', { recursive: true })

const reportOf = ({ specifier }: PackageEntry): string => `${specifier.replace('/', '.')}.api.md`

const configOf = (entry: PackageEntry): ExtractorConfig =>
  ExtractorConfig.prepare({
    configObject: {
      mainEntryPointFilePath: resolve(entry.types),
      projectFolder: resolve('.'),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2022',
            lib: ['es2023', 'es2024.string'],
            module: 'nodenext',
            types: ['node'],
            strict: true,
            exactOptionalPropertyTypes: true,
            skipLibCheck: true,
          },
          files: entries.map(({ types }) => resolve(types)),
        },
      },
      // The constants of which exported types are made belong to the report, too: a change of them is one of the types.
      apiReport: {
        ...{ enabled: true, includeForgottenExports: true, reportFileName: reportOf(entry) },
        ...{ reportFolder: join(scratch, 'kept'), reportTempFolder: scratch },
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: heard },
        extractorMessageReporting: { ...silent, 'ae-forgotten-export': heard },
        tsdocMessageReporting: silent,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: resolve('package.json'),
  })

const faults: string[] = []
const configs = entries.map((entry) => ({ entry, config: configOf(entry) }))
const [first] = configs
if (first === undefined) throw new Error('package.json exports nothing')
const state = CompilerState.create(first.config, { additionalEntryPoints: entries.map(({ types }) => resolve(types)) })
const program = state.program as ts.Program
const checker = program.getTypeChecker()

const declared = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** The names that types have where they are declared, of all that any entry exports. */
const exported = new Set(
  entries.flatMap(({ types }) => {
    const file = program.getSourceFile(resolve(types))
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
    return module === undefined ? [] : checker.getExportsOfModule(module).map((symbol) => declared(symbol).getName())
  }),
)

/** Names of constants: what is not exported of those is no type. */
const constants = new Set(
  program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(resolve('dist')))
    .flatMap(({ statements }) => [...statements])
    .flatMap((statement) => (ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : []))
    .map(({ name }) => name.getText()),
)

const hear = (entry: PackageEntry, message: ExtractorMessage): void => {
  message.handled = true
  if (message.category === ExtractorMessageCategory.Compiler) faults.push(`${entry.specifier}: ${message.text}`)
  const [, name = ''] = /^The symbol "(\w+?)(?:_\d+)?" needs to be exported/.exec(message.text) ?? []
  if (message.messageId !== 'ae-forgotten-export' || exported.has(name) || constants.has(name)) return
  faults.push(
    `${entry.specifier}: a public signature names ${name}, which no entry exports (${message.sourceFilePath})`,
  )
}

/** Declarations that no entry exports and that an earlier report holds. */
const told = new Set<string>()

/** A report without what another one holds: a type that another entry exports, a constant that was reported before. */
const shortened = (report: string): string =>
  report
    .split(/\n\n(?=\/\/ @|```\n)/)
    .filter((block) => {
      const [, name] = /^(?:type|interface|class|abstract class|const|function) (\w+)/m.exec(block) ?? []
      if (name === undefined || /^export /m.test(block)) return true
      if (exported.has(name) || told.has(name)) return false
      told.add(name)
      return true
    })
    .join('\n\n')

const fileOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

try {
  for (const { entry, config } of configs) {
    Extractor.invoke(config, {
      compilerState: state,
      messageCallback: (message) => hear(entry, message),
    })
    const report = shortened(readFileSync(join(scratch, reportOf(entry)), 'utf8'))
    const kept = join('api', reportOf(entry))
    if (fileOf(kept) === report) continue
    if (isWriting) writeFileSync(kept, report)
    else faults.push(`${kept} is out of date. Look at what has changed, then: npm run api:write`)
  }
  const obsolete = readdirSync('api').filter((file) => !entries.some((entry) => reportOf(entry) === file))
  faults.push(...obsolete.map((file) => `api/${file} is about no entry of package.json`))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

for (const fault of new Set(faults)) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
