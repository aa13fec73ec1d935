import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'

const MODULE = new URL('../../../src/load/tick-shape.ts', import.meta.url).href

/** What every program below begins with. */
const BEGIN = `
  import { AsyncLocalStorage, createHook, executionAsyncResource } from 'node:async_hooks'
  import { setImmediate } from 'node:timers/promises'
  import { keepTickShape } from '${MODULE}'
  const tick = () => new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource())))
  async function collect() {
    await setImmediate()
    gc()
  }
`

/** Says whether the kept object and a new tick have one shape, before and after whole collections with no tick about. */
const SHAPES = `
  keepTickShape()
  await tick()
  const first = keepTickShape()
  const said = [first !== undefined]
  for (let i = 0; i < 5; i += 1) {
    said.push(%HaveSameMap(keepTickShape(), await tick()))
    await collect()
  }
  console.log(JSON.stringify([...said, keepTickShape() === first]))
`

/** Says whether the store of an async context is let go, and whether the kept object has the shape of a new tick. */
const IN_CONTEXT = `
  const held = new WeakRef({ token: 'secret' })
  new AsyncLocalStorage().run(held.deref(), () => void keepTickShape())
  for (let i = 0; i < 5; i += 1) await collect()
  console.log(JSON.stringify([held.deref() === undefined, %HaveSameMap(keepTickShape(), await tick())]))
`

/** Says whether a function is let go that stood on the tick, as one of a storage does on Node 22. */
const ON_TICK = `
  const name = Symbol('of a hook')
  let value = () => 'secret'
  const held = new WeakRef(value)
  const hook = createHook({ init: (id, type, trigger, resource) => void (resource[name] = value) }).enable()
  keepTickShape()
  hook.disable()
  value = undefined
  await tick()
  const hadIt = Object.getOwnPropertySymbols(keepTickShape()).includes(name)
  for (let i = 0; i < 5; i += 1) await collect()
  console.log(JSON.stringify([hadIt, held.deref() === undefined]))
`

describe('keepTickShape', () => {
  it('keeps one object of the shape that ticks have, and the same one', async () => {
    expect(await run(SHAPES)).to.deep.equal([true, true, true, true, true, true, true])
  })

  // Without frames a context stands on the tick, and on each promise that is made in it.
  for (const flag of ['--async-context-frame', '--no-async-context-frame']) {
    it(`does not keep the async context in which it was called: ${flag}`, async () => {
      expect(await run(IN_CONTEXT, flag)).to.deep.equal([true, true])
    })
  }

  it('does not keep whatever else stands on the tick', async () => {
    expect(await run(ON_TICK)).to.deep.equal([true, true])
  })
})

async function run(program: string, ...more: readonly string[]): Promise<unknown> {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', ...more]
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    '--eval',
    BEGIN + program,
  ])
  return JSON.parse(stdout)
}
