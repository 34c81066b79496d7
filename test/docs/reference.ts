/**
 * The tables and lists of the documentation that are made from the code: names, comments and values as they stand there.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import ts from 'typescript'
import { defaultRetry } from 'carillon'
import { makeProgram } from '../../src/cli/program.js'
import { builtInRoutes } from '../../src/http/builtInRoutes.js'
import { nodeLimitsOf } from '../../src/node/NodeLimits.js'
import type { Standing } from '../../src/agenda/ActivityRow.js'
import { happenings, nextStanding, type Happening } from '../../src/agenda/nextStanding.js'
import { decisionPages } from './decisions.js'
import { repository } from './pages.js'

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(join(repository, file), 'utf8'), ts.ScriptTarget.ES2022, true)

/** The doc comment before a node, as one line. */
const commentOf = (node: ts.Node, from = node.getFullStart()): string => {
  const { text } = node.getSourceFile()
  const comment = ts.getLeadingCommentRanges(text, from)?.at(-1)
  if (comment === undefined) return ''
  return text
    .slice(comment.pos, comment.end)
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n')
    .map((line) => line.trim().replace(/^\* ?/, ''))
    .join(' ')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .trim()
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')

const find = <N extends ts.Node>(file: ts.SourceFile, name: string, is: (node: ts.Node) => node is N): N => {
  let found: N | undefined
  const visit = (node: ts.Node): void => {
    if (is(node) && 'name' in node && (node.name as ts.Node).getText() === name) found ??= node
    else ts.forEachChild(node, visit)
  }
  visit(file)
  if (found === undefined) throw new Error(`${file.fileName} has no ${name}`)
  return found
}

/** A number as a reader wants it: bytes in KiB, milliseconds in seconds, where that is whole. */
export const show = (name: string, value: number): string => {
  if (name.endsWith('Bytes')) return `${value / 1024} KiB`
  if (name.endsWith('Ms') && value % 1_000 === 0) return `${value / 1_000} s`
  return value.toLocaleString('en')
}

/** The limits of one object, as `limits.ts` of a room declares it. */
const limitsIn = (
  file: string,
  name: string,
  values: Readonly<Record<string, number>>,
): readonly (readonly string[])[] => {
  const { initializer } = find(parse(file), name, ts.isVariableDeclaration)
  const literal = initializer !== undefined && ts.isAsExpression(initializer) ? initializer.expression : initializer
  if (literal === undefined || !ts.isObjectLiteralExpression(literal)) throw new Error(`${name} is not a plain object`)
  return literal.properties.map((property) => {
    const limit = property.name?.getText() ?? ''
    const value = values[limit]
    if (value === undefined) throw new Error(`${name} has no ${limit}`)
    return [`\`${limit}\``, show(limit, value), commentOf(property)]
  })
}

const rooms = readdirSync(join(repository, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(repository, 'src', entry.name, 'limits.ts')))
  .map(({ name }) => name)

const given = Object.keys(nodeLimitsOf())

/** Every object of limits that a room exports, with what it says of itself. */
const limitGroups = await Promise.all(
  rooms.map(async (room) => {
    const file = `src/${room}/limits.ts`
    const exported = (await import(`../../${file}`)) as Readonly<Record<string, Readonly<Record<string, number>>>>
    return Object.entries(exported)
      .filter(([name]) => name.endsWith('Limits') && name !== 'tickLimits')
      .map(([name, values]) => ({
        room,
        name,
        isGiven: given.includes(room) && name === `${room}Limits`,
        about: commentOf(find(parse(file), name, ts.isVariableDeclaration).parent.parent),
        rows: limitsIn(file, name, values),
      }))
  }),
).then((groups) => groups.flat())

const limitsTables = (isGiven: boolean): string =>
  limitGroups
    .filter((group) => group.isGiven === isGiven)
    .map(({ room, about, rows }) =>
      [`### ${room}`, about, table(['limit', 'value', 'what it bounds, and why'], rows)].join('\n\n'),
    )
    .join('\n\n')

const fieldsTable = (file: string, name: string): string => {
  const { type } = find(parse(file), name, ts.isTypeAliasDeclaration)
  if (!ts.isTypeLiteralNode(type)) throw new Error(`${name} is not an object type`)
  return table(
    ['option', 'type', 'meaning'],
    type.members
      .filter(ts.isPropertySignature)
      .map((member) => [
        `\`${member.name.getText()}\`${member.questionToken === undefined ? ', required' : ''}`,
        `\`${(member.type?.getText() ?? '').replaceAll(/\s+/g, ' ')}\``,
        commentOf(member),
      ]),
  )
}

/** The words of a union of literals, with the comment on each. */
export const wordsOf = (file: string, name: string): readonly (readonly [word: string, comment: string])[] => {
  const { type } = find(parse(file), name, ts.isTypeAliasDeclaration)
  const members = ts.isUnionTypeNode(type) ? [...type.types] : [type]
  // The comment on a member stands before the bar, which is before the member.
  return members.flatMap((member, place) =>
    ts.isLiteralTypeNode(member)
      ? [[member.literal.getText().replaceAll("'", ''), commentOf(member, members[place - 1]?.end ?? type.pos)]]
      : [],
  )
}

const wordsTable = (file: string, name: string): string =>
  table(
    ['word', 'meaning'],
    wordsOf(file, name).map(([word, comment]) => [`\`${word}\``, comment]),
  )

/** For each thing that can happen to an activity, the standing that follows, from whatever standing it was. */
const transitionsTable = (): string => {
  const words = wordsOf('src/agenda/ActivityRow.ts', 'Standing').map(([word]) => word as Standing)
  const standings: readonly (Standing | null)[] = [null, ...words]
  const show = (standing: Standing | null): string => (standing === null ? 'none' : `\`${standing}\``)
  return table(
    ['what happens', 'said by', 'standing afterwards'],
    Object.entries(happenings).map(([happening, events]) => {
      const after = (standing: Standing | null) => nextStanding(standing, happening as Happening)
      const usual = after(null)
      const others = standings.filter((standing) => after(standing) !== usual)
      const exceptions = others.map((standing) => `; ${show(standing)} becomes ${show(after(standing))}`)
      return [happening, events.map((event) => `\`${event}\``).join(', '), `${show(usual)}${exceptions.join('')}`]
    }),
  )
}

const retryTable = (): string =>
  table(
    ['field', 'default', 'meaning'],
    find(parse('src/flow/RetryPolicy.ts'), 'RetryPolicy', ts.isTypeAliasDeclaration)
      .type.getChildren()
      .flatMap((child) => child.getChildren())
      .filter(ts.isPropertySignature)
      .map((member) => {
        const name = member.name.getText()
        const value = (defaultRetry as Readonly<Record<string, number>>)[name] ?? NaN
        return [`\`${name}\``, show(name, value), commentOf(member)]
      }),
  )

const routesTable = (): string =>
  table(
    ['path', 'permission', 'what it does', '`carillon` …'],
    builtInRoutes.map(({ method, path, permission, summary, form, verbs }) => [
      `\`${method} ${path}\``,
      permission,
      `${summary}${form === 'events' ? ' (live)' : ''}`,
      verbs.map((verb) => `\`${verb}\``).join(', ') || 'the verbs of the app',
    ]),
  )

/** Nothing is written while nothing is run. */
const nowhere = {
  out: () => undefined,
  err: () => undefined,
  status: () => undefined,
  fault: () => undefined,
  redraw: () => undefined,
  width: 80,
  tone: (_tone: string, text: string) => text,
}

const describeVerb = (command: Command, chain: string): string => {
  const name = `${chain} ${command.name()}`
  if (command.commands.length > 0)
    return [
      `### ${command.name()}`,
      command.description(),
      ...command.commands.map((each) => describeVerb(each, name)),
    ].join('\n\n')
  const takes = command.registeredArguments.map((argument) => {
    const word = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${word}>` : `[${word}]`
  })
  const rows = [
    ...command.registeredArguments.map((argument, index) => [`\`${takes[index] ?? ''}\``, argument.description]),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => [
        `\`${option.flags}\``,
        [
          option.description,
          ...(option.argChoices === undefined ? [] : [`one of ${option.argChoices.join(', ')}`]),
          ...(option.defaultValue === undefined || option.defaultValue === false || Array.isArray(option.defaultValue)
            ? []
            : [`default ${JSON.stringify(option.defaultValue)}`]),
        ].join('; '),
      ]),
  ]
  return [
    `${chain === 'carillon' ? '###' : '####'} ${name.replace(/^carillon /, '')}`,
    command.description(),
    `\`${[name, ...takes].join(' ')}\``,
    ...(rows.length === 0 ? [] : [table(['argument or option', 'meaning'], rows)]),
  ].join('\n\n')
}

const program = await makeProgram(nowhere)

const verbsText = (): string => program.commands.map((command) => describeVerb(command, 'carillon')).join('\n\n')

/** Every decision in order, by the headings of their pages. */
const decisionsList = (): string =>
  decisionPages()
    .map(({ file, number, title }) => `${number}. [${title}](adr/${file})`)
    .join('\n')

const tables: Readonly<Record<string, () => string>> = {
  verbs: verbsText,
  decisions: decisionsList,
  'limits of a node': () => limitsTables(true),
  'other limits': () => limitsTables(false),
  NodeOptions: () => fieldsTable('src/node/NodeOptions.ts', 'NodeOptions'),
  StateOptions: () => fieldsTable('src/ledger/StateDefinition.ts', 'StateOptions'),
  FlowOptions: () => fieldsTable('src/app/FlowDefinition.ts', 'FlowOptions'),
  ContractOptions: () => fieldsTable('src/ledger/Contract.ts', 'ContractOptions'),
  Activity: () => fieldsTable('src/ledger/Activity.ts', 'Activity'),
  VirtualNodeOptions: () => fieldsTable('src/testing/VirtualNode.ts', 'VirtualNodeOptions'),
  RetryPolicy: retryTable,
  routes: routesTable,
  HttpOptions: () => fieldsTable('src/http/listenHttp.ts', 'HttpOptions'),
  PanelOptions: () => fieldsTable('src/http/Panel.ts', 'PanelOptions'),
  PanelAction: () => fieldsTable('src/http/Panel.ts', 'PanelAction'),
  Standing: () => wordsTable('src/agenda/ActivityRow.ts', 'Standing'),
  transitions: transitionsTable,
  Consequence: () => wordsTable('src/errors/Consequence.ts', 'Consequence'),
}

const region = /(<!-- from the code: ([\w ]+) -->\n)[\s\S]*?(<!-- end -->)/g

/** A page with its tables made anew. */
export const withTables = (text: string): string =>
  text.replaceAll(region, (_, begin: string, name: string, end: string) => {
    const make = tables[name]
    if (make === undefined) throw new Error(`no table is called ${name}`)
    return `${begin}\n${make()}\n\n${end}`
  })
