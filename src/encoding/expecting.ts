/**
 * Words for what a codec expects, for those who meet the codec by its refusal and know nothing of its name.
 */
import type { Decoder } from 'io-ts'

type AnyDecoder = Pick<Decoder<never, unknown>, 'name'>

const words = new WeakMap<AnyDecoder, string>()

/** The codec itself, which from now on is said to expect this. */
export const expecting = <C extends AnyDecoder>(what: string, codec: C): C => {
  words.set(codec, what)
  return codec
}

/** What a codec expects, in words if it has any, otherwise its name. */
export const expectedBy = (codec: AnyDecoder): string => words.get(codec) ?? codec.name
