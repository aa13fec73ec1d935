import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(pbkdf2)
const BYTES = 32
const known = new Map<string, Promise<string>>()

/** What a passphrase field carries: the passphrase itself stays with its owner. */
export function loginValue(passphrase: string, salt: string, iterations: number): Promise<string> {
  const key = JSON.stringify([passphrase, salt, iterations])
  const value = known.get(key) ?? compute(passphrase, salt, iterations)
  known.set(key, value)
  return value
}

async function compute(passphrase: string, salt: string, iterations: number): Promise<string> {
  const master = await derive(passphrase, salt, iterations, BYTES, 'sha256')
  return (await derive(master, passphrase, 1, BYTES, 'sha256')).toString('base64')
}
