import { expect } from 'chai'
import { describe, it } from 'mocha'
import { randomData } from '../../src/random-data.ts'

describe('randomData', () => {
  it('gives as many bytes as are asked for, more than the pool has too', () => {
    for (const bytes of [0, 1, 12, 16, 63, 64, 65, 5000]) {
      expect(randomData(bytes)).to.have.length(bytes)
    }
  })

  it('gives no byte twice, over many pools', () => {
    const seen = new Set<string>()
    // Of 16 bytes each: two that agree by chance are not to be expected in the age of the world.
    for (let n = 0; n < 20_000; n += 1) seen.add(randomData(16).toString('hex'))
    expect(seen.size).to.equal(20_000)
  })

  it('gives bytes that are evenly spread', () => {
    const counts = new Map<number, number>()
    for (let n = 0; n < 40_000; n += 1) {
      for (const byte of randomData(13)) counts.set(byte, (counts.get(byte) ?? 0) + 1)
    }
    // 2031 of each are to be expected, with a standard deviation of 45: ten of them are out of reach by chance.
    expect(counts.size).to.equal(256)
    for (const count of counts.values()) expect(count).to.be.within(1580, 2480)
  })

  it('keeps nothing of what it gave', () => {
    const first = randomData(32)
    const kept = Buffer.from(first)
    first.fill(0)
    expect(randomData(32).equals(kept)).to.equal(false)
    // Memory of its own: nobody who looks at the whole of it sees what others were given.
    expect(first.buffer.byteLength).to.equal(32)
  })
})
