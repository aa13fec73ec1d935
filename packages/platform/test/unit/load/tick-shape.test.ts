import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'

const MODULE = new URL('../../../src/load/tick-shape.ts', import.meta.url).href

/** Says whether what was kept within an async context still holds it. */
const IN_CONTEXT = `
  import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks'
  import { setImmediate } from 'node:timers/promises'
  import { keepTickShape } from '${MODULE}'
  const storage = new AsyncLocalStorage()
  const held = (() => {
    const request = { token: 'secret' }
    storage.run(request, () => void keepTickShape())
    return new WeakRef(request)
  })()
  for (let i = 0; i < 5; i += 1) {
    await setImmediate()
    gc()
  }
  const tick = () => new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource())))
  console.log(JSON.stringify([held.deref() === undefined, %HaveSameMap(await keepTickShape(), await tick())]))
`

/** Says whether the kept object and a new tick have one shape, before and after whole collections with no tick about. */
const PROGRAM = `
  import { executionAsyncResource } from 'node:async_hooks'
  import { setImmediate } from 'node:timers/promises'
  import { keepTickShape } from '${MODULE}'
  const tick = () => new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource())))
  const said = [(await keepTickShape()) === (await keepTickShape())]
  for (let i = 0; i < 5; i += 1) {
    said.push(%HaveSameMap(await keepTickShape(), await tick()))
    await setImmediate()
    gc()
  }
  console.log(JSON.stringify(said))
`

describe('keepTickShape', () => {
  it('keeps one object of the shape that ticks have, and the same one', async () => {
    expect(await run(PROGRAM)).to.deep.equal([true, true, true, true, true, true])
  })

  it('does not keep the async context in which it was called', async () => {
    expect(await run(IN_CONTEXT)).to.deep.equal([true, true])
  })
})

async function run(program: string): Promise<unknown> {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', program])
  return JSON.parse(stdout)
}
