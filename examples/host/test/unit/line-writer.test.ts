import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { expect } from 'chai'

interface Line {
  readonly event: string
  readonly n?: number
  readonly count?: number
}

describe('the log of a process', () => {
  let child: ChildProcess | undefined
  afterEach(() => child?.kill('SIGKILL'))

  function start(count: number, end: 'hard' | 'read' | 'well'): Writer {
    child = fork(join(import.meta.dirname, 'log-writer-process.ts'), [String(count), end], {
      execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const { stdout, stderr } = child
    if (stdout === null || stderr === null) throw new Error('the child has no pipes')
    const said = createInterface({ input: stdout })[Symbol.asyncIterator]()
    return {
      process: child,
      stderr,
      said: async () => JSON.parse(String((await said.next()).value)) as Record<string, number>,
    }
  }

  it('has every line in order, once the process ended well', async () => {
    const writer = start(3000, 'well')
    const lines = await readLines(writer.stderr)
    expect(lines.length).to.equal(3030)
    const numbers = lines.filter(({ event }) => event === 'server.reloaded').map(({ n }) => n)
    expect(numbers.findIndex((n, at) => n !== at)).to.equal(-1)
  })

  it('has the last lines of a process that ended hard', async () => {
    const writer = start(300, 'hard')
    const lines = await readLines(writer.stderr)
    expect(lines.length).to.equal(303)
  })

  it('stops nobody when it is not read, says what is missing, and loses no audit line', async () => {
    const writer = start(40_000, 'read')
    const { longestMs } = await writer.said()
    // A turn that waited for the reader would never have ended.
    expect(longestMs).to.be.lessThan(5000)
    const reading = readLines(writer.stderr)
    writer.process.send('go on')
    const lines = await reading
    const dropped = lines.filter(({ event }) => event === 'log.lines_dropped')
    const missing = dropped.reduce((sum, { count = 0 }) => sum + count, 0)
    expect(missing).to.be.greaterThan(1000)
    expect(lines.length - dropped.length + missing).to.equal(40_000 + 400 + 1)
    expect(lines.filter(({ event }) => event === 'login.succeeded')).to.have.lengthOf(400)
  })

  it('ends though nobody reads it', async () => {
    const writer = start(40_000, 'well')
    const ended = once(writer.process, 'exit')
    await writer.said()
    const { flushMs } = await writer.said()
    // It counts from the last line that was taken, which a slow machine wrote a while before.
    expect(flushMs).to.be.within(200, 5000)
    expect(await ended).to.deep.equal([0, null])
  })
})

interface Writer {
  readonly process: ChildProcess
  readonly stderr: Readable
  /** What it says next on its standard output. */
  said(): Promise<Record<string, number>>
}

async function readLines(stream: Readable): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of createInterface({ input: stream })) {
    lines.push(JSON.parse(line) as Line)
  }
  return lines
}
