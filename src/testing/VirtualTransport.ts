/**
 * A network in one process, under a virtual clock: it delays, loses, repeats, reorders and partitions as a seed
 * tells it to, the same way every time.
 */
import type { Random } from '../identity/Random.js'
import { rememberedText } from '../encoding/canonical.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { openEnvelope } from '../session/envelopeText.js'
import type { Envelope } from '../log/Message.js'
import type { Transport } from '../session/Transport.js'
import type { VirtualClock } from '../time/VirtualClock.js'

/** How bad the network is. Chances are from 0 to 1. */
export type Weather = {
  readonly minLatencyMs: number
  readonly maxLatencyMs: number
  readonly loss: number
  readonly duplication: number
}

/** A network that delivers everything at once, and once. */
export const fairWeather: Weather = { minLatencyMs: 0, maxLatencyMs: 0, loss: 0, duplication: 0 }

type Deliver = Parameters<Transport['listen']>[0]

/** The way between the parties of a virtual network. */
export class VirtualTransport {
  weather: Weather
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #receivers = new Map<PublicKey, Deliver>()
  readonly #cut = new Set<string>()
  #underWay = 0
  #onSend: (from: PublicKey, envelope: Envelope, to: PublicKey) => void = () => undefined

  /** @internal */
  constructor(clock: VirtualClock, random: Random, weather: Weather = fairWeather) {
    this.#clock = clock
    this.#random = random
    this.weather = weather
  }

  /** Envelopes that are on their way at this instant. */
  get underWay(): number {
    return this.#underWay
  }

  /** Calls back with everything that leaves a node, whatever becomes of it on the way. */
  watch(onSend: (from: PublicKey, envelope: Envelope, to: PublicKey) => void): void {
    this.#onSend = onSend
  }

  /** The network as one party's node sees it. */
  endpoint(of: PublicKey): Transport {
    return {
      send: (to, envelopes) => {
        for (const envelope of envelopes) {
          this.#onSend(of, envelope, to)
          this.#post(of, to, envelope)
        }
      },
      listen: (deliver) => {
        this.#receivers.set(of, deliver)
      },
      close: () => {
        this.#receivers.delete(of)
        return Promise.resolve()
      },
    }
  }

  /** Nothing passes between the two any more, in either direction. */
  cut(a: PublicKey, b: PublicKey): void {
    this.#cut.add(`${a} ${b}`).add(`${b} ${a}`)
  }

  heal(): void {
    this.#cut.clear()
  }

  #chance(): number {
    return Number.parseInt(this.#random.hex(4), 16) / 0x1_0000_0000
  }

  #post(from: PublicKey, to: PublicKey, envelope: Envelope): void {
    const copies = this.#chance() < this.weather.loss ? 0 : this.#chance() < this.weather.duplication ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      const { minLatencyMs, maxLatencyMs } = this.weather
      const latencyMs = minLatencyMs + Math.floor(this.#chance() * (maxLatencyMs - minLatencyMs + 1))
      // What arrives is never the object that was sent: two nodes share nothing but text.
      const written = rememberedText(envelope)
      const text = written ?? JSON.stringify(envelope)
      this.#underWay += 1
      this.#clock.wakeAt(this.#clock.now() + latencyMs, () => {
        this.#underWay -= 1
        if (this.#cut.has(`${from} ${to}`)) return
        // A node's own envelopes are canonical; a test may send whatever it likes.
        const arrived = written === undefined ? (JSON.parse(text) as Envelope) : openEnvelope(written)
        void this.#receivers.get(to)?.(from, [arrived], text.length)
      })
    }
  }
}
