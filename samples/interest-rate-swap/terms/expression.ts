/**
 * Expressions over a trade, as its documents write them: `currency == 'GBP' ? 365 : 360`. They are data, not code:
 * they can calculate and compare, and reach nothing but the values they are given. Numbers are exact decimals.
 */
import type { Decimal } from 'decimal.js'
import type { LocalDate } from 'carillon/calendars'
import { Exact } from '../money.js'
import type { SwapData } from '../swap/SwapKind.js'

export type Value = Decimal | string | boolean
/** Values by their names, such as `fixed.rate`. */
export type Scope = Readonly<Record<string, Value>>

type Expression = (scope: Scope) => Value

const namePattern = /[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z][A-Za-z0-9]*)*/
const tokenPattern = new RegExp(
  `\\s*(\\d+(?:\\.\\d+)?|'[^']*'|${namePattern.source}|[=!<>]=|&&|\\|\\||[-+*/()?:<>!])`,
  'y',
)

/** Numbers, texts in quotation marks, names, and signs. */
const tokensOf = (source: string): readonly string[] => {
  const tokens: string[] = []
  const pattern = new RegExp(tokenPattern)
  const end = source.trimEnd().length
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex
    const token = pattern.exec(source)?.[1]
    if (token === undefined) throw new SyntaxError(`"${source}" cannot be read from "${source.slice(at).trim()}" on.`)
    tokens.push(token)
  }
  return tokens
}

const number = (value: Value): Decimal => {
  if (typeof value === 'object') return value
  throw new TypeError(`A number is needed where there is ${JSON.stringify(value)}.`)
}
const truth = (value: Value): boolean => {
  if (typeof value === 'boolean') return value
  throw new TypeError(`True or false is needed where there is ${String(value)}.`)
}
const equal = (a: Value, b: Value): boolean => (typeof a === 'object' && typeof b === 'object' ? a.equals(b) : a === b)

type Binary = (a: Value, b: Value) => Value

/** Signs between two values, those that bind least first. */
const levels: readonly Readonly<Record<string, Binary>>[] = [
  { '||': (a, b) => truth(a) || truth(b) },
  { '&&': (a, b) => truth(a) && truth(b) },
  { '==': equal, '!=': (a, b) => !equal(a, b) },
  {
    '<': (a, b) => number(a).lt(number(b)),
    '<=': (a, b) => number(a).lte(number(b)),
    '>': (a, b) => number(a).gt(number(b)),
    '>=': (a, b) => number(a).gte(number(b)),
  },
  { '+': (a, b) => number(a).plus(number(b)), '-': (a, b) => number(a).minus(number(b)) },
  { '*': (a, b) => number(a).times(number(b)), '/': (a, b) => number(a).div(number(b)) },
]

const lookUp = (scope: Scope, name: string): Value => {
  const value = Object.hasOwn(scope, name) ? scope[name] : undefined
  if (value === undefined) throw new ReferenceError(`There is no "${name}" to reckon with.`)
  return value
}

/** Deeper than any document goes; it keeps hostile text from using up the stack. */
const deepest = 50

/** Reads an expression; throws a SyntaxError that says where it cannot be read. */
export const parseExpression = (source: string): Expression => {
  const tokens = tokensOf(source)
  let at = 0
  const fail = (): never => {
    throw new SyntaxError(`"${source}" cannot be read at ${tokens[at] ?? 'its end'}.`)
  }
  const take = (sign: string): boolean => {
    if (tokens[at] !== sign) return false
    at += 1
    return true
  }
  const expect = (sign: string): void => {
    if (!take(sign)) fail()
  }

  const choice = (depth: number): Expression => {
    if (depth > deepest) return fail()
    const condition = binary(depth, 0)
    if (!take('?')) return condition
    const yes = choice(depth + 1)
    expect(':')
    const no = choice(depth + 1)
    return (scope) => (truth(condition(scope)) ? yes(scope) : no(scope))
  }

  const binary = (depth: number, level: number): Expression => {
    const operators = levels[level]
    if (operators === undefined) return unary(depth)
    let left = binary(depth, level + 1)
    for (;;) {
      const operator = operators[Object.keys(operators).find(take) ?? '']
      if (operator === undefined) return left
      const first = left
      const second = binary(depth, level + 1)
      left = (scope) => operator(first(scope), second(scope))
    }
  }

  const unary = (depth: number): Expression => {
    if (depth > deepest) return fail()
    const sign = ['-', '!'].find(take)
    if (sign === undefined) return primary(depth)
    const inner = unary(depth + 1)
    return sign === '-' ? (scope) => number(inner(scope)).neg() : (scope) => !truth(inner(scope))
  }

  const primary = (depth: number): Expression => {
    if (take('(')) {
      const inner = choice(depth + 1)
      expect(')')
      return inner
    }
    const token = tokens[at] ?? ''
    if (!/^[\w']/.test(token)) return fail()
    at += 1
    if (token === 'true' || token === 'false') return () => token === 'true'
    if (namePattern.test(token[0] ?? '')) return (scope) => lookUp(scope, token)
    const value = token.startsWith("'") ? token.slice(1, -1) : new Exact(token)
    return () => value
  }

  const whole = choice(0)
  return at < tokens.length ? fail() : whole
}

/** What an expression can speak of: the notional, both rates as they are on the day, and cash collateral. */
const scopeOf = ({ fixed, calculation, common }: SwapData, day: LocalDate): Scope => {
  const period = calculation.floating.find(({ from, to }) => from <= day && day < to)
  return {
    'notional.currency': fixed.notional.currency,
    'notional.minor': new Exact(fixed.notional.minor),
    'fixed.rate': new Exact(fixed.rate),
    'floating.rate': new Exact(period?.rate ?? 0),
    'collateral.currency': common.creditSupport.eligibleCurrency,
    'collateral.minor': new Exact(common.creditSupport.independentAmount.minor),
    'collateral.spread': new Exact(common.creditSupport.interest.spread),
  }
}

export const evaluate = (expression: string, swap: SwapData, day: LocalDate): Value =>
  parseExpression(expression)(scopeOf(swap, day))
