import { expect } from 'chai'
import { Turns } from '../../src/calls/turns.ts'
import { ToolError } from '../../src/index.ts'

describe('turns of a grant', () => {
  it('are eight at a time; the next waits until one is over', async () => {
    const turns = new Turns()
    const ends: (() => void)[] = []
    let running = 0
    let most = 0
    const run = () =>
      turns.take('grant', async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise<void>((resolve) => ends.push(resolve))
        running -= 1
      })
    const all = Array.from({ length: 20 }, run)
    for (let ended = 0; ended < 20; ended += 1) {
      while (ends.length === 0) await Promise.resolve()
      ends.shift()?.()
    }
    await Promise.all(all)
    expect(most).to.equal(8)
    // Other grants do not wait.
    expect(await turns.take('other', async () => 'done')).to.equal('done')
  })

  it('come within two seconds or not at all', async () => {
    const turns = new Turns()
    const ends: (() => void)[] = []
    const held = Array.from({ length: 8 }, () =>
      turns.take('grant', () => new Promise<void>((resolve) => ends.push(resolve))),
    )
    const refused = await turns.take('grant', async () => 'done').catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(ToolError)
    expect(refused).to.have.property('code', 'limit_reached')
    for (const end of ends) end()
    await Promise.all(held)
    expect(await turns.take('grant', async () => 'done')).to.equal('done')
  })
})
