import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { closeCode, frame, type RawSocket, rawSocket } from '../support/raw-socket.ts'
import { type RealtimeServer, testRealtime } from '../support/realtime-server.ts'
import { until } from '../support/until.ts'

const TEXT = 1
const CONTINUATION = 0
const PING = 9

describe('frames', () => {
  let server: RealtimeServer

  beforeEach(async () => {
    server = await testRealtime()
  })

  const fragments = (count: number): Uint8Array[] => [
    frame(TEXT, Buffer.from('{'), { final: false }),
    ...Array.from({ length: count - 1 }, () =>
      frame(CONTINUATION, Buffer.from(' '), { final: false }),
    ),
  ]
  /** A header that announces 4 GiB, and no more. */
  const hugeHeader = Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])

  const cases: readonly (readonly [string, readonly Uint8Array[], number])[] = [
    ['an unmasked frame', [frame(TEXT, Buffer.from('{}'), { masked: false })], 1002],
    ['an unknown opcode', [frame(3, Buffer.from('{}'))], 1002],
    ['a continuation of nothing', [frame(CONTINUATION, Buffer.from('{}'))], 1002],
    ['bad UTF-8', [frame(TEXT, Buffer.from([0x22, 0xc3, 0x28, 0x22]))], 1007],
    ['a message above 8 KiB', [frame(TEXT, Buffer.alloc(8193, 0x20))], 1009],
    [
      'fragments above 8 KiB together',
      [
        frame(TEXT, Buffer.alloc(5000, 0x20), { final: false }),
        frame(CONTINUATION, Buffer.alloc(5000, 0x20)),
      ],
      1009,
    ],
    ['a header of 4 GiB', [hugeHeader], 1009],
    ['more than 64 fragments', fragments(65), 1008],
  ]
  for (const [what, bytes, code] of cases) {
    it(`close ${code} for ${what}, and nobody else notices`, async () => {
      const healthy = await server.connectApp()
      const raw = await rawSocket(server.port)
      for (const each of bytes) raw.write(each)
      expect(await codeOf(raw)).to.equal(code)
      expect(await healthy.settled()).to.deep.equal([])
      await until(() => server.realtime.stats().connections === 1)
    })
  }

  it('of 64 fragments make a message', async () => {
    const raw = await rawSocket(server.port)
    for (const each of fragments(63)) raw.write(each)
    raw.write(frame(CONTINUATION, Buffer.from('}')))
    // The object has no method: it was read as a message.
    expect(await codeOf(raw)).to.equal(1008)
    expect(String(await raw.rest)).to.include('The  method is not supported')
  })

  it('of 8 KiB are taken', async () => {
    const raw = await rawSocket(server.port)
    raw.write(frame(TEXT, Buffer.from('{}'.padEnd(8192))))
    expect(await codeOf(raw)).to.equal(1008)
    expect(String(await raw.rest)).to.include('The  method is not supported')
  })

  it('that ping are answered', async () => {
    const raw = await rawSocket(server.port)
    const pong = new Promise<Buffer>((resolve) => raw.socket.once('data', resolve))
    raw.write(frame(PING, Buffer.from('hi')))
    expect(await pong).to.deep.equal(frame(10, Buffer.from('hi'), { masked: false }))
    raw.socket.destroy()
  })

  it('may come with the handshake', async () => {
    const raw = await rawSocket(server.port, { trailing: frame(TEXT, Buffer.from('[]')) })
    expect(await codeOf(raw)).to.equal(1007)
  })

  it('that break off leave nothing', async () => {
    const raw = await rawSocket(server.port)
    raw.write(frame(TEXT, Buffer.alloc(100)).subarray(0, 20))
    await until(() => server.realtime.stats().connections === 1)
    raw.socket.resetAndDestroy()
    await until(() => server.realtime.stats().connections === 0)
    expect(server.realtime.stats().tracked).to.equal(0)
  })

  async function codeOf(raw: RawSocket): Promise<number | undefined> {
    return closeCode(await raw.rest)
  }
})
