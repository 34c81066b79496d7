/**
 * Codecs for what stands on a command line: text that says a number or an instant. Their names are what whoever gives
 * another text is told to give.
 */
import * as t from 'io-ts'
import { instant, InstantC } from 'carillon'

/** A codec of text, by a function that throws, or gives something else, for text that says nothing of the kind. */
export const fromText = <A>(
  name: string,
  is: (value: unknown) => value is A,
  read: (text: string) => unknown,
): t.Type<A, string> =>
  new t.Type<A, string>(
    name,
    is,
    (given, context) => {
      try {
        const value = typeof given === 'string' ? read(given) : undefined
        return is(value) ? t.success(value) : t.failure(given, context)
      } catch {
        return t.failure(given, context)
      }
    },
    String,
  )

export const WholeC = fromText('a whole number, such as 3600', t.number.is, (text) =>
  /^\d{1,15}$/.test(text) ? Number(text) : undefined,
)

export const MomentC = fromText('an instant, such as 2026-02-01T09:00:00Z', InstantC.is, instant)

/** What may be left out. */
export const optional = <A>(codec: t.Type<A, string>) => t.union([codec, t.undefined])
