import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A `.p12` file as OpenSSL writes it. */
export async function makePkcs12(
  { cert, key }: { readonly cert: string; readonly key: string },
  password: string,
  args: readonly string[] = [],
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-p12-'))
  try {
    const [input, output] = ['leaf.pem', 'leaf.p12'].map((name) => path.join(folder, name))
    if (input === undefined || output === undefined) throw new Error('two names')
    await writeFile(input, cert + key)
    const command = ['pkcs12', '-export', '-in', input, '-out', output]
    await run('openssl', [...command, '-passout', `pass:${password}`, ...args])
    return await readFile(output)
  } finally {
    await rm(folder, { recursive: true })
  }
}
