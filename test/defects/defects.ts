/**
 * Realistic mistakes in the engine, each as a change of a few words of its source. They exist nowhere but here: a hunt
 * runs in a process of its own, whose loader makes the change as the file is read.
 */
export type Defect = {
  readonly name: string
  /** What somebody might do by mistake, as a sentence. */
  readonly mistake: string
  readonly file: string
  /** Stands exactly once in the file. */
  readonly find: string
  readonly replace: string
}

export const defects: readonly Defect[] = [
  {
    name: 'acknowledge-before-commit',
    mistake: 'Callers, steps and messages are released before the tick is committed',
    file: 'src/engine/Loop.ts',
    find: 'const result = store.commit(sealed)',
    replace: 'this.#release(tick); const result = store.commit(sealed)',
  },
  {
    name: 'step-before-commit',
    mistake: 'A step begins while its cause is still being decided',
    file: 'src/engine/FlowEngine.ts',
    find: 'tick.release(() => {\n      const { name, run, timeoutMs } = operation',
    replace: '[0].forEach(() => {\n      const { name, run, timeoutMs } = operation',
  },
  {
    name: 'views-not-rolled-back',
    mistake: 'After a failed append the rows in memory stay as the tick had left them',
    file: 'src/storage/EmbeddedStore.ts',
    find: '    this.views.rolledBack()\n',
    replace: '',
  },
  {
    name: 'generators-not-dropped',
    mistake: 'After a failed append flows go on from where the lost tick had brought them',
    file: 'src/engine/FlowEngine.ts',
    find: 'for (const id of [...this.#inFlight, ...this.#touched]) this.#live.delete(id)',
    replace: '',
  },
  {
    name: 'agenda-lost-on-restart',
    mistake: 'Opening a store forgets the activity that comes next',
    file: 'src/storage/EmbeddedStore.ts',
    find: 'this.views = new StoredViews(db)',
    replace:
      "db.exec('UPDATE states SET acts_at_ms = NULL WHERE acts_at_ms = (SELECT min(acts_at_ms) FROM states)'); this.views = new StoredViews(db)",
  },
  {
    name: 'started-twice',
    mistake: 'A start of the node opens occurrences again that ended after it',
    file: 'src/engine/Reopening.ts',
    find: "row.standing === 'ended' && endedBefore &&",
    replace: "row.standing === 'ended' && (endedBefore || row.attempt < 3) &&",
  },
  {
    name: 'netting-forgotten',
    mistake: 'What is consumed stays on the agenda',
    file: 'src/agenda/evolveAgenda.ts',
    find: "    become(row, 'its state is consumed')\n",
    replace: '',
  },
  {
    name: 'recheck-skipped',
    mistake: 'What is due is started without looking whether it was consumed a moment ago',
    file: 'src/engine/runDue.ts',
    find: 'if (row.actsAtMs === null || row.actsAtMs > tick.nowMs) continue',
    replace: '',
  },
  {
    name: 'due-out-of-order',
    mistake: 'What falls due together is started in the reverse of its order',
    file: 'src/engine/runDue.ts',
    find: 'for (const row of rows) {',
    replace: 'for (const row of [...rows].reverse()) {',
  },
  {
    name: 'window-until-included',
    mistake: 'The end of a time window belongs to it',
    file: 'src/ledger/TimeWindow.ts',
    find: 'at < window.until)',
    replace: 'at <= window.until)',
  },
  {
    name: 'window-from-excluded',
    mistake: 'The beginning of a time window does not belong to it',
    file: 'src/ledger/TimeWindow.ts',
    find: 'window.from <= at)',
    replace: 'window.from < at)',
  },
  {
    name: 'contract-not-asked',
    mistake: 'A transaction is recorded although its contract refuses it',
    file: 'src/finality/decideTransaction.ts',
    find: '  orThrow(verifyTransaction(ledgerTransaction, reads.registry.contract))\n',
    replace: '',
  },
  {
    name: 'conflicts-overlooked',
    mistake: 'A notary lets a state be consumed again',
    file: 'src/notary/checkClaims.ts',
    find: 'if (consumedBy === undefined) continue',
    replace: 'if (consumedBy === undefined || text.length > 0) continue',
  },
  {
    name: 'draining-ignored',
    mistake: 'A node that drains goes on starting activities',
    file: 'src/engine/Loop.ts',
    find: 'if (!tick.views.facts.now.draining) runDue(tick, this.#parts.engine)',
    replace: 'runDue(tick, this.#parts.engine)',
  },
  {
    name: 'lateness-rounded',
    mistake: 'Lateness is recorded in whole seconds',
    file: 'src/agenda/decideDue.ts',
    find: 'const latenessMs = reads.nowMs - row.dueMs',
    replace: 'const latenessMs = Math.floor((reads.nowMs - row.dueMs) / 1_000) * 1_000',
  },
  {
    name: 'steps-not-resumed',
    mistake: 'Steps that a crash interrupted are not run again',
    file: 'src/engine/StepResumption.ts',
    find: 'for (const row of rows) if (row.seq <= this.#lastSeq) engine.resumeStep(tick, row)',
    replace: '',
  },
  {
    name: 'message-taken-twice',
    mistake: 'A message that comes twice is taken twice',
    file: 'src/session/decideMessage.ts',
    find: 'reads.views.sessions.hasArrived(session, envelope.seq) || isOver(reads, session)',
    replace: 'isOver(reads, session)',
  },
  {
    name: 'acknowledgement-dropped',
    mistake: 'Some messages are never acknowledged',
    file: 'src/transport/Postman.ts',
    find: "if (verdict === 'acknowledge' && !this.#stopped)",
    replace: "if (verdict === 'acknowledge' && !this.#stopped && envelope.seq !== 1)",
  },
  {
    name: 'receiver-not-woken',
    mistake: 'A message is recorded, but the flow that waits for it sleeps on',
    file: 'src/flow/evolveFlows.ts',
    find: '  flow.wakeMs = atMs\n  flows.touch(flow)\n',
    replace: '',
  },
  {
    name: 'outbox-not-resent',
    mistake: 'What was not acknowledged before a restart is not sent again after it',
    file: 'src/transport/Postman.ts',
    find: 'addressees()) this.#boxes.set(party, emptyBox())',
    replace: 'addressees()) this.#boxes.set(party, { ...emptyBox(), lastRevision: this.#parts.store.head().revision })',
  },
  {
    name: 'resend-given-up',
    mistake: 'A message is sent once and never again',
    file: 'src/transport/Postman.ts',
    find: 'waiting.nextMs = nowMs + waitAfter(resend, waiting.tries)',
    replace: 'waiting.nextMs = nowMs + 1e12',
  },
  {
    name: 'silence-taken-for-no',
    mistake: 'A tick that a log took without saying so is taken to have failed',
    file: 'src/storage/LogBackedStore.ts',
    find: "if (outcome.kind !== 'unknown') return outcome\n",
    replace: "return outcome.kind === 'unknown' ? { kind: 'failed', error: outcome.error } : outcome\n",
  },
  {
    name: 'silence-taken-for-yes',
    mistake: 'A tick that a log did not answer is taken to have been appended',
    file: 'src/storage/LogBackedStore.ts',
    find: "if (outcome.kind !== 'unknown') return outcome\n",
    replace: "return outcome.kind === 'unknown' ? { kind: 'appended' } : outcome\n",
  },
  {
    name: 'wake-too-late',
    mistake: 'The node sleeps until the later of two things it has to do',
    file: 'src/engine/Loop.ts',
    find: 'Math.min(...wakes)',
    replace: 'Math.max(...wakes)',
  },
  {
    name: 'signature-over-less',
    mistake: "A tick's signature leaves out all transactions but the first",
    file: 'src/engine/OpenTick.ts',
    find: 'signTick(this.#key, network, hash, this.#unsigned)',
    replace: 'signTick(this.#key, network, hash, this.#unsigned.slice(0, 1))',
  },
  {
    name: 'retry-at-once',
    mistake: 'A flow is started before its sleep is over',
    file: 'src/flow/operations/sleep.ts',
    find: 'atMs: Math.min(nowMs + durationMs, latestInstantMs)',
    replace: 'atMs: nowMs + Math.floor(durationMs / 2)',
  },
]
