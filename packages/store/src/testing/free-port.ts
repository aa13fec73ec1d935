import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Above the ports that browsers refuse, and below those that Linux gives out by itself (32768 on): a connection of
 * somebody else, or a server that takes any port, does not get it before whoever asked listens.
 */
const LOWEST = 20_000
const HIGHEST = 32_000
const MOST_TRIES = 100

/**
 * A port of loopback that nobody listens on now, from 20000 to 31999.
 * @throws Error when a hundred ports are all taken, or none may be listened on
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
  throw new Error(`${MOST_TRIES} ports of loopback are taken`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
