/**
 * Asks today's contracts and states about what is on record: whether every transaction is still accepted, and every
 * state still asks for what it asked for.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type { CarillonError } from '../../errors/CarillonError.js'
import type { LedgerTransaction } from '../../ledger/LedgerTransaction.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { verifyTransaction } from '../../ledger/verifyTransaction.js'
import type { Assessment } from '../../ledger/Assessment.js'
import type { EventOf } from '../../log/events.js'
import { askState } from '../../ledger/assess.js'
import { readState } from '../../vault/readState.js'
import { resolveBody } from '../../vault/resolveBody.js'
import { compareAssessments } from './compareAssessments.js'
import { bodyOf } from './describeFact.js'
import type { ReplayGround } from './ReplayGround.js'
import type { ReplayProblem } from './ReplayReport.js'

export class LedgerReplay {
  readonly #ground: ReplayGround
  readonly #refusals: ReplayProblem[] = []
  /** What a state said differently, by ref; taken back when the log says that it was asked again. */
  readonly #reassessed = new Map<string, ReplayProblem>()
  /** Flows whose transaction is refused: that they go another way follows from it. */
  readonly refusedFlows = new Set<string>()

  constructor(ground: ReplayGround) {
    this.#ground = ground
  }

  get problems(): readonly ReplayProblem[] {
    return [...this.#refusals, ...this.#reassessed.values()]
  }

  /** The node itself noticed later that the state asks for something else. */
  takeBack(ref: StateRef): void {
    this.#reassessed.delete(showRef(ref))
  }

  checkTransaction(event: EventOf<'TransactionRecorded'>, revision: number): void {
    const body = bodyOf(event)
    this.#ground.parties.learnNotary(body.notary)
    const resolved = this.#ground.tried(() => resolveBody(this.#ground.looking, event.id, body))
    const refuse = (error: CarillonError): void => {
      if (event.flow !== undefined) this.refusedFlows.add(event.flow)
      const violations = error.details['violations']
      this.#refusals.push({
        kind: 'contract',
        revision,
        what: `Transaction ${event.id} was accepted when it was recorded; today's code refuses it (${error.code}): ${Array.isArray(violations) ? violations.join('; ') : error.message}`,
      })
    }
    if (isLeft(resolved)) {
      refuse(resolved.left)
      return
    }
    const verified = verifyTransaction(resolved.right, this.#ground.registry.contract)
    if (isLeft(verified)) refuse(verified.left)
    // What is here only because others build on it was not asked.
    if (event.ancestor !== true) this.#checkAssessments(resolved.right, event.assessments, revision)
  }

  #checkAssessments(transaction: LedgerTransaction, recorded: readonly Assessment[], revision: number): void {
    transaction.outputs.forEach(({ definition, data, ref }, index) => {
      const said = recorded[index]
      if (said === undefined) return
      const asked = this.#ground.tried(() => askState(this.#ground.looking, definition, data, ref))
      const problem = compareAssessments(definition.type, ref, said, asked, revision)
      if (problem !== undefined) this.#reassessed.set(showRef(ref), problem)
    })
  }

  checkReassessment({ ref, assessment }: EventOf<'StateReassessed'>, revision: number): void {
    this.#reassessed.delete(showRef(ref))
    const row = this.#ground.views.states.find(ref)
    if (row === undefined) return
    const asked = this.#ground.tried(() => {
      const definition = this.#ground.registry.requireState(row.kind.type)
      return askState(this.#ground.looking, definition, readState(definition, row), ref)
    })
    const problem = compareAssessments(row.kind.type, ref, assessment, asked, revision)
    if (problem !== undefined) this.#reassessed.set(showRef(ref), problem)
  }
}
