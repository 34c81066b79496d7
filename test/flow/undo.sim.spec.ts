/** What the page about undoing promises, with a crash after each tick, and with crashes after all of them. */
import { expect } from 'chai'
import { defineFlow, NoInputC, type FlowBody } from '../../src/index.js'
import type { StepContext } from '../../src/entries/types.js'
import { dyingStore } from './dyingStore.js'
import { appOf, startVirtual } from './ledgerOfNotes.js'

const bookings = ['flight', 'hotel', 'car']

/** Ends the flow: a step that fails for good, or someone who cancels it during or after a step. */
type Trouble = { readonly fails: string } | { readonly cancelledDuring: string } | { readonly cancelledAfterAll: true }

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** The effects outside, in their order, and how the flow ended, on a node that dies after the ticks that `crashes` says. */
const travelled = async (trouble: Trouble, crashes: (tick: number) => boolean) => {
  const outside: string[] = []
  const take = async (what: string, { signal }: StepContext): Promise<void> => {
    outside.push(what)
    if ('fails' in trouble && what === `book ${trouble.fails}`) throw new Error('There is none.')
    if (!('cancelledDuring' in trouble) || what !== `book ${trouble.cancelledDuring}`) return
    void cancel()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  const Travel = defineFlow({
    name: 'travel/Travel',
    input: NoInputC,
    *run(io): FlowBody<void> {
      const begun: string[] = []
      try {
        for (const what of bookings) {
          begun.push(what)
          yield* io.step(`book ${what}`, (context) => take(`book ${what}`, context), { retry: { attempts: 1 } })
        }
        yield* io.sleep({ days: 30 })
      } catch (error) {
        for (const what of begun.reverse())
          yield* io.step(`cancel ${what}`, (context) => take(`cancel ${what}`, context))
        throw error
      }
    },
  })
  const { store, died } = dyingStore(crashes)
  const virtual = await startVirtual(appOf([Travel]), { store })
  const goOn = async (): Promise<void> => {
    await settle()
    while (died.now) {
      await virtual.crash()
      died.now = false
      await virtual.restart()
      await settle()
    }
  }
  // Asked for many at once, a flow that is being cancelled already is not cancelled again.
  const cancel = async (): Promise<void> => {
    await virtual.node.operateFlows('cancel', { name: Travel.name }, { by: 'carol' }).catch(() => undefined)
  }
  const { id } = await virtual.node.start(Travel, {})
  await goOn()
  if ('cancelledAfterAll' in trouble) await cancel()
  await goOn()
  const flow = await virtual.node.flow(id)
  await virtual.crash()
  return { outside, status: flow?.status, message: flow?.error?.message, ticks: died.ticks }
}

const troubles: Readonly<Record<string, Trouble>> = {
  ...Object.fromEntries(bookings.map((what) => [`the booking of a ${what} fails`, { fails: what }])),
  ...Object.fromEntries(
    bookings.map((what) => [`it is cancelled while it books a ${what}`, { cancelledDuring: what }]),
  ),
  'it is cancelled when it has booked all': { cancelledAfterAll: true },
}

describe('A flow that undoes what it has done', () => {
  for (const [what, trouble] of Object.entries(troubles))
    it(`leaves nothing booked when ${what}, wherever the process is killed`, async () => {
      const calm = await travelled(trouble, () => false)
      expect(calm.status).to.equal('fails' in trouble ? 'failed' : 'killed')
      const patterns = [
        () => true,
        ...Array.from({ length: calm.ticks }, (_, index) => (tick: number) => tick === index + 1),
      ]
      for (const crashes of [() => false, ...patterns]) {
        const { outside, status, message } = await travelled(trouble, crashes)
        expect({ status, message }).to.deep.equal({ status: calm.status, message: calm.message })
        const begun = bookings.filter((each) => outside.includes(`book ${each}`))
        for (const each of begun)
          expect(outside.lastIndexOf(`cancel ${each}`), each).to.be.greaterThan(outside.lastIndexOf(`book ${each}`))
        const undone = [...new Set(outside.filter((each) => each.startsWith('cancel ')))]
        expect(undone).to.deep.equal(begun.reverse().map((each) => `cancel ${each}`))
      }
    })
})
