/** Public events and projections over HTTP. */
import { connect } from 'node:net'
import { expect } from 'chai'
import { httpLimits } from '../../src/http/limits.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { startNode, type Node } from '../../src/index.js'
import { serveHttp, type HttpServer } from '../../src/entries/http.js'
import { PlaceOrder, shop, totals } from './orders.js'

type Sent = { readonly id: string; readonly event: string; readonly data: { readonly revision: number } }

const parse = (text: string): readonly Sent[] =>
  text
    .split('\n\n')
    .filter((part) => part.includes('data: '))
    .map((part) => {
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? ''
      return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Sent['data'] }
    })

describe('The stream of public events', () => {
  let node: Node
  let server: HttpServer
  const token = newTokenText().text
  beforeEach(async () => {
    node = await startNode({ app: shop(totals({ store: 'memory' })) })
    server = await serveHttp({ node }, { localToken: token })
  })
  afterEach(async () => {
    await server.close()
    await node.stop()
  })

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })

  /** Reads until an event with this revision has come. */
  const readUntil = async (response: Response, revision: number): Promise<readonly Sent[]> => {
    const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { value, done } = await reader.read()
      text += decoder.decode(value, { stream: true })
      const sent = text.endsWith('\n\n') ? parse(text) : []
      if (done || sent.some(({ data }) => data.revision >= revision)) {
        await reader.cancel()
        return sent
      }
    }
  }

  const order = (): Promise<unknown> => node.run(PlaceOrder, { article: 'bell', pieces: 1 })

  it('sends what is in the log and what comes; who comes back goes on where it was', async () => {
    await order()
    const first = await readUntil(await ask('/events?from=start'), node.head.revision)
    expect(first.map(({ event }) => event)).to.include.members(['NodeStarted', 'TransactionRecorded', 'FlowEnded'])
    expect(first.every(({ id, data }) => id === String(data.revision))).to.equal(true)
    const seen = first[1]!.id
    const again = await ask('/events?from=start', { 'last-event-id': seen })
    await order()
    const rest = await readUntil(again, node.head.revision)
    expect(rest[0]?.data.revision).to.be.greaterThan(Number(seen))
    const revisions = [...first.slice(0, 2), ...rest].map(({ data }) => data.revision)
    const whole = await readUntil(await ask('/events?from=0'), node.head.revision)
    expect(revisions).to.deep.equal(whole.map(({ data }) => data.revision))
  })

  it('sends the types asked for alone', async () => {
    await order()
    const sent = await readUntil(await ask('/events?from=start&types=TransactionRecorded'), 0)
    expect(sent.map(({ event }) => event)).to.deep.equal(['TransactionRecorded'])
  })

  it('to a reader that does not read is not gathered for it: it is behind, misses nothing, and nobody else notices', async () => {
    const { hostname, port } = new URL(server.url)
    const slow = connect(Number(port), hostname)
    // Nothing is read: what the kernel does not take stays with the node.
    slow.pause()
    const path = '/api/v1/events?from=start&types=TransactionRecorded'
    slow.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`)
    const warnings: string[] = []
    const warned = ({ message }: Error): unknown => warnings.push(message)
    process.on('warning', warned)
    const quick = await ask('/events?from=start&types=FlowEnded')
    const [orders, characters] = [200, 100_000]
    // Gathered, it would be far more than the node lets lie before it hangs up.
    expect(orders * characters).to.be.greaterThan(4 * httpLimits.httpStreamUnreadBytes)
    const recorded: number[] = []
    node.follow(({ tick }) => recorded.push(tick.number))
    for (let each = 0; each < orders; each++)
      await node.run(PlaceOrder, { article: `${each} ${'x'.repeat(characters)}`, pieces: 1 })
    expect(recorded.length).to.be.at.least(orders)
    expect((await readUntil(quick, node.head.revision - 1)).length).to.equal(orders)
    expect(slow.destroyed).to.equal(false)
    const placed: number[] = []
    let rest = ''
    for await (const chunk of slow.setEncoding('utf8')) {
      const whole = `${rest}${String(chunk)}`.split('"article":"')
      rest = whole.pop() ?? ''
      // The number of an order is at the beginning of what follows its name.
      for (const [, number] of [...whole.slice(1), rest].map((text) => /^(\d+) x/.exec(text) ?? []))
        if (number !== undefined && Number(number) !== placed.at(-1)) placed.push(Number(number))
      if (placed.length === orders) break
    }
    expect(placed).to.deep.equal(Array.from({ length: orders }, (_, each) => each))
    process.off('warning', warned)
    // Node.js warns of listeners that pile up, as they would with one left behind for each event.
    expect(warnings).to.deep.equal([])
  })

  it('goes on in the same history alone, for whoever sends the hash with the revision', async () => {
    await order()
    const whole = await readUntil(await ask('/events?from=start'), node.head.revision)
    const [first, second] = whole as unknown as readonly {
      readonly data: { readonly revision: number; hash: string }
    }[]
    const { revision, hash } = first!.data
    const rest = await readUntil(await ask('/events', { 'last-event-id': `${revision}:${hash}` }), node.head.revision)
    expect(rest[0]?.data.revision).to.equal(second!.data.revision)
    for (const [id, code] of [
      [`${revision}:${'f'.repeat(64)}`, 'subscription-ahead'],
      [`${node.head.revision + 5}:${hash}`, 'subscription-ahead'],
      [`${revision}:`, 'request-invalid'],
      [`${revision}:hash`, 'request-invalid'],
      [String(node.head.revision + 5), 'revision-unknown'],
    ] as const) {
      const answer = (await (await ask('/events', { 'last-event-id': id })).json()) as { readonly code: string }
      expect(answer.code, id).to.equal(code)
    }
  })

  const refused: Readonly<Record<string, readonly [path: string, code: string]>> = {
    'a type that does not exist': ['/events?types=FlowExploded', 'request-invalid'],
    'a place that is no revision': ['/events?from=yesterday', 'request-invalid'],
    'a revision beyond the end': ['/events?from=1000000', 'revision-unknown'],
  }
  for (const [what, [path, code]] of Object.entries(refused))
    it(`refuses ${what}`, async () => {
      const answer = (await (await ask(path)).json()) as { readonly code: string }
      expect(answer.code).to.equal(code)
    })

  it('has beside it how the projections stand, and their lag among the metrics', async () => {
    await order()
    while (node.projections[0]?.lag !== 0) await new Promise(setImmediate)
    const { items } = (await (await ask('/projections')).json()) as { readonly items: unknown }
    expect(items).to.deep.equal([
      { name: 'shop/Totals', version: 1, state: 'live', revision: node.head.revision, lag: 0 },
    ])
    const metrics = await (await ask('/metrics')).text()
    expect(metrics).to.match(/carillon_projection_lag\{[^}]*projection="shop\/Totals"[^}]*\} 0/)
  })
})
