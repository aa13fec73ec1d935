import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { timeBudget, scaledLimit } from '@svc/testkit'
import { createRenderWorker, RenderFault } from '../../../src/render/render-worker.ts'
import { RENDER_MS } from '../../../src/render/render-job.ts'

const LIST = Array.from({ length: 1000 }, (_, at) => at)

describe('the thread that renders', () => {
  it('does one job after the other, each with its own outcome', async () => {
    const worker = createRenderWorker()
    const jobs = Array.from({ length: 20 }, (_, at) => {
      const source = at % 5 === 0 ? '{{ a | shout }}' : `${at}: {{ a }}`
      return worker
        .run({ kind: 'template', form: 'text', source, data: { a: at } })
        .catch((fault: unknown) => fault)
    })
    const outcomes = await Promise.all(jobs)
    for (const [at, outcome] of outcomes.entries()) {
      if (at % 5 === 0) expect(outcome).to.be.instanceOf(RenderFault)
      else expect(outcome).to.equal(`${at}: ${at}`)
    }
  })

  it('is ended when it takes too long, and the next job has a new one', async () => {
    const worker = createRenderWorker({ deadlineMs: scaledLimit(1500) })
    // The engine looks at its clock between two steps of a template, not within a filter.
    const source = '{% assign b = list | where_exp: "x", "long contains short" %}{{ b | size }}'
    const data = {
      list: Array.from({ length: 100_000 }, (_, at) => at),
      long: 'x'.repeat(300_000),
      short: `${'x'.repeat(6)}y`,
    }
    const slow = worker
      .run({ kind: 'template', form: 'text', source, data })
      .catch((fault: unknown) => fault)
    const next = worker.run({ kind: 'plain', html: '<p>next</p>' })
    expect(await slow)
      .to.be.instanceOf(RenderFault)
      .and.have.property('message', 'deadline exceeded')
    expect(await next).to.equal('next')
  })

  it('counts every render from its own start', async () => {
    const deadlineMs = scaledLimit(2000)
    const worker = createRenderWorker({ deadlineMs })
    const loops = `${'{% for i in list %}'.repeat(3)}${'{% endfor %}'.repeat(3)}`
    const jobs = Array.from({ length: Math.ceil((1.2 * deadlineMs) / RENDER_MS) }, () =>
      worker
        .run({ kind: 'template', form: 'text', source: loops, data: { list: LIST } })
        .catch((fault: RenderFault) => fault.message),
    )
    // Together they take longer than one may.
    for (const message of await Promise.all(jobs)) expect(message).to.include('render limit')
  })

  it('takes no job that cannot be copied, and goes on', async () => {
    const worker = createRenderWorker()
    const data = { a: () => 'x' }
    const fault: unknown = await worker
      .run({ kind: 'template', form: 'text', source: '{{ a }}', data })
      .catch((thrown: unknown) => thrown)
    expect(fault).to.be.instanceOf(RenderFault)
    expect(await worker.run({ kind: 'plain', html: 'next' })).to.equal('next')
  })

  it('ends without work, and a job has a new one', async () => {
    const worker = createRenderWorker({ idleMs: 1, deadlineMs: timeBudget(3000) })
    for (let round = 0; round < 3; round += 1) {
      expect(await worker.run({ kind: 'plain', html: String(round) })).to.equal(String(round))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

  it('keeps no process alive', async () => {
    const file = new URL('../../../src/render/render-worker.ts', import.meta.url).href
    const program = `
      const { createRenderWorker } = await import(${JSON.stringify(file)})
      const worker = createRenderWorker({ deadlineMs: 60_000 })
      console.log(await worker.run({ kind: 'plain', html: '<p>done</p>' }))
    `
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=source', '--input-type=module', '-e', program],
      { timeout: timeBudget(20_000) },
    )
    expect(stdout).to.equal('done\n')
  })
})
