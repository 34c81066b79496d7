/**
 * An app whose flows can be watched at work: which operation each asked for last, and on which line of its code.
 * What the flows do is the same; only what they call is noticed.
 */
import type { App } from '../app/App.js'
import type { AnyFlowDefinition, FlowBody } from '../app/FlowDefinition.js'
import type { FlowIo } from '../app/FlowIo.js'

/** A place in the code of an app. */
export type SourcePlace = { readonly file: string; readonly line: number }

/** What a flow that is being run has called so far. */
export class FlowTrace {
  /** Names of the operations, in order. */
  readonly calls: string[] = []
  #last: Error | undefined

  begin(): void {
    this.calls.length = 0
    this.#last = undefined
  }

  note(name: string, at: Error): void {
    this.calls.push(name)
    this.#last = at
  }

  /** The line of the last operation that was asked for; undefined before the first. */
  get place(): SourcePlace | undefined {
    return this.#last === undefined ? undefined : placeIn(this.#last)
  }
}

const frame = /\(?((?:file:\/\/)?\/[^()]*|[A-Za-z]:[\\/][^()]*):(\d+):\d+\)?$/

/** The first line of an error's stack that is neither of this file nor of Node or a package. */
export const placeIn = (error: Error): SourcePlace | undefined => {
  for (const line of (error.stack ?? '').split('\n').slice(1)) {
    const [, file, number] = frame.exec(line.trim()) ?? []
    if (file === undefined || number === undefined) continue
    if (
      /node:|[\\/]node_modules[\\/](?!carillon-)|[\\/](src|dist)[\\/](testing|flow)[\\/](traceFlows|FlowIo|LiveFlow)\./.test(
        file,
      )
    )
      continue
    return { file: file.replace(/^file:\/\//, ''), line: Number(number) }
  }
  return undefined
}

type Method = (...values: readonly unknown[]) => unknown

/** What stands in for `io`: every method of it, noticed or replaced. */
export type IoChange = (io: FlowIo, name: string, method: Method) => Method

/** The same io with every method of it passed through `change`. */
const changedIo = (io: FlowIo, change: IoChange): FlowIo =>
  new Proxy(io, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function' || typeof name !== 'string') return member
      const method = (member as Method).bind(target)
      if (name !== 'subFlow') return change(target, name, method)
      // A sub-flow is handed the bare io by its parent; its own code is changed as well.
      return change(target, name, (definition, input) =>
        method(changedFlow(definition as AnyFlowDefinition, change), input),
      )
    },
  })

/** A flow that is given another io; what it records is the same. */
export const changedFlow = (definition: AnyFlowDefinition, change: IoChange): AnyFlowDefinition => ({
  ...definition,
  run: (io: FlowIo, input: unknown): FlowBody<unknown> => definition.run(changedIo(io, change), input),
})

/** The app with another io for all its flows. */
export const changedApp = (app: App, change: IoChange): App => ({
  ...app,
  flows: app.flows.map((flow) => changedFlow(flow, change)),
})

/** The app with its flows watched. */
export const traceFlows = (app: App, trace: FlowTrace): App =>
  changedApp(app, (_, name, method) => (...values) => {
    trace.note(name, new Error(name))
    return method(...values)
  })
