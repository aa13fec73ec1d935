import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'

const SERVER = path.resolve(import.meta.dirname, '../server.mjs')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function answer(port: number, host: string, target: string): Promise<IncomingMessage> {
  const request = get({ host: '127.0.0.1', port, path: target, headers: { host, connection: 'close' } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response
}

test('the server says where its pages are, and they are there', async () => {
  const port = await freePort()
  const host = `alice.localhost:${port}`
  const cwd = mkdtempSync(path.join(tmpdir(), 'embedded-'))
  const server = spawn(process.execPath, [SERVER, '--memory'], {
    cwd,
    env: { ...process.env, PORT: String(port), DOMAIN: host },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit')
  try {
    const printed: string[] = []
    for await (const line of createInterface({ input: server.stdout })) {
      printed.push(line)
      if (line.includes('Metadata')) break
    }
    const text = printed.join('\n')
    assert.match(text, /^Svc \d+\.\d+\.\d+ on Node \d/)
    for (const page of ['Owner', 'Home', 'Settings', 'Metadata']) {
      const address = new RegExp(`${page} +(\\S+)`).exec(text)?.[1]
      assert(address !== undefined, `${page} is missing in ${text}`)
      const { host: on, pathname, search } = new URL(address)
      const { statusCode = 0 } = await answer(port, on, pathname + search)
      assert([200, 302].includes(statusCode), `${address} is ${statusCode}`)
    }
    const guarded = await answer(port, host, '/files')
    assert.equal(guarded.statusCode, 401)
  } finally {
    server.kill()
    await ended
    rmSync(cwd, { recursive: true })
  }
})
