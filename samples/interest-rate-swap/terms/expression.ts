/**
 * Expressions over a trade, as its documents write them: `currency == 'GBP' ? 365 : 360`. They are data, not code:
 * they can calculate and compare, and reach nothing but the values they are given. Numbers are exact decimals.
 */
import type { Decimal } from 'decimal.js'
import type { LocalDate } from 'carillon/calendars'
import { Exact } from '../money.js'
import type { SwapData } from '../swap/SwapKind.js'

export type Value = Decimal | string | boolean
/** Values by name; a name with dots goes from one table into the next. */
export type Scope = { readonly [name: string]: Value | Scope }

type Expression = (scope: Scope) => Value

const tokenPattern =
  /\s*(?:(\d+(?:\.\d+)?)|'([^']*)'|([A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z][A-Za-z0-9]*)*)|([=!<>]=|&&|\|\||[-+*/()?:<>!]))/y

type Token = { readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end'; readonly text: string }

const tokensOf = (source: string): Token[] => {
  const tokens: Token[] = []
  const pattern = new RegExp(tokenPattern)
  const end = source.trimEnd().length
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex
    const match = pattern.exec(source)
    if (match === null) throw new SyntaxError(`"${source}" cannot be read from "${source.slice(at).trim()}" on.`)
    const [, number, text, name, sign] = match
    if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (text !== undefined) tokens.push({ kind: 'text', text })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name })
    else tokens.push({ kind: 'sign', text: sign ?? '' })
  }
  return [...tokens, { kind: 'end', text: 'its end' }]
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

/** Deeper than any document goes; it keeps hostile text from using up the stack. */
const deepest = 50

class Parser {
  readonly #tokens: Token[]
  #at = 0
  #depth = 0

  constructor(readonly source: string) {
    this.#tokens = tokensOf(source)
  }

  whole(): Expression {
    const expression = this.#choice()
    if (this.#next().kind !== 'end') this.#fail()
    return expression
  }

  #next(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: 'its end' }
  }

  #take(sign: string): boolean {
    const { kind, text } = this.#next()
    if (kind !== 'sign' || text !== sign) return false
    this.#at += 1
    return true
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) this.#fail()
  }

  #fail(): never {
    throw new SyntaxError(`"${this.source}" cannot be read at ${this.#next().text}.`)
  }

  #choice(): Expression {
    this.#depth += 1
    if (this.#depth > deepest) this.#fail()
    const condition = this.#binary(0)
    let expression = condition
    if (this.#take('?')) {
      const yes = this.#choice()
      this.#expect(':')
      const no = this.#choice()
      expression = (scope) => (truth(condition(scope)) ? yes(scope) : no(scope))
    }
    this.#depth -= 1
    return expression
  }

  #binary(level: number): Expression {
    const operators = levels[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    for (;;) {
      const sign = Object.keys(operators).find((candidate) => this.#take(candidate))
      const operator = sign === undefined ? undefined : operators[sign]
      if (operator === undefined) return left
      const first = left
      const second = this.#binary(level + 1)
      left = (scope) => operator(first(scope), second(scope))
    }
  }

  #unary(): Expression {
    let minus = 0
    let not = 0
    for (;;) {
      if (this.#take('-')) minus += 1
      else if (this.#take('!')) not += 1
      else break
    }
    const inner = this.#primary()
    if (minus === 0 && not === 0) return inner
    return (scope) => {
      const value = inner(scope)
      if (not > 0) return not % 2 === 1 ? !truth(value) : truth(value)
      return minus % 2 === 1 ? number(value).neg() : number(value)
    }
  }

  #primary(): Expression {
    const token = this.#next()
    if (this.#take('(')) {
      const inner = this.#choice()
      this.#expect(')')
      return inner
    }
    this.#at += 1
    switch (token.kind) {
      case 'number': {
        const value = new Exact(token.text)
        return () => value
      }
      case 'text':
        return () => token.text
      case 'name':
        return token.text === 'true' || token.text === 'false'
          ? () => token.text === 'true'
          : (scope) => lookUp(scope, token.text)
      default:
        this.#at -= 1
        return this.#fail()
    }
  }
}

const isScope = (value: Value | Scope): value is Scope => typeof value === 'object' && !(value instanceof Exact)

const lookUp = (scope: Scope, name: string): Value => {
  let here: Value | Scope = scope
  for (const part of name.split('.')) {
    const next: Value | Scope | undefined = isScope(here) && Object.hasOwn(here, part) ? here[part] : undefined
    if (next === undefined) throw new ReferenceError(`There is no "${name}" to reckon with.`)
    here = next
  }
  if (isScope(here)) throw new ReferenceError(`"${name}" is not one value but several.`)
  return here
}

/** Reads an expression; throws a SyntaxError that says where it cannot be read. */
export const parseExpression = (source: string): Expression => new Parser(source).whole()

/** What an expression can speak of: the notional, both rates as they are on the day, and cash collateral. */
const scopeOf = ({ fixed, calculation, common }: SwapData, day: LocalDate): Scope => {
  const period = calculation.floating.find(({ from, to }) => from <= day && day < to)
  return {
    notional: { currency: fixed.notional.currency, minor: new Exact(fixed.notional.minor) },
    fixed: { rate: new Exact(fixed.rate) },
    floating: { rate: new Exact(period?.rate ?? 0) },
    collateral: {
      currency: common.creditSupport.eligibleCurrency,
      minor: new Exact(common.creditSupport.independentAmount.minor),
      spread: new Exact(common.creditSupport.interest.spread),
    },
  }
}

export const evaluate = (expression: string, swap: SwapData, day: LocalDate): Value =>
  parseExpression(expression)(scopeOf(swap, day))
