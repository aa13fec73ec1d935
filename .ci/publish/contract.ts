import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../packages/store/src/testing/index.ts'
import {
  choosePassphrase,
  type MountedExample,
  runContract,
  startExample,
} from '../../packages/testkit/src/mounted-example.ts'
import { openMailbox } from '../../packages/testkit/src/mailbox.ts'

const PASSPHRASE = 'correct horse battery staple'

/** What the example runs with beside the packages. */
export function exampleDependencies(root: string): Readonly<Record<string, string>> {
  const text = readFileSync(path.join(root, 'examples/mounts/node/package.json'), 'utf8')
  // A manifest of this repository.
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> }
  return dependencies
}

/**
 * Starts the example of `examples/mounts/node` on installed packages, and runs their contract against it.
 * @param folder - where the packages and {@link exampleDependencies} are installed; nothing else is in it
 * @param out - gets `contract.json`, and `contract.html` with its badge
 * @returns why the packages must not be published; undefined: they may
 */
export async function contractFault(
  root: string,
  folder: string,
  out: string,
): Promise<string | undefined> {
  const examples = path.join(root, 'examples/mounts')
  cpSync(path.join(examples, 'node'), path.join(folder, 'node'), { recursive: true })
  mkdirSync(out, { recursive: true })
  const [mailbox, port] = [await openMailbox(), await freePort()]
  const domain = `alice.localhost:${port}`
  const settings = { domain, port, smtpPort: mailbox.port }
  let server: MountedExample | undefined
  try {
    server = await startExample(path.join(folder, 'node/server.ts'), folder, settings)
    await choosePassphrase(server.link, PASSPHRASE, port)
    const program = path.join(folder, 'node_modules/@svc/contract/dist/cli.js')
    const { code, printed } = await runContract(program, folder, `http://${domain}`, PASSPHRASE, [
      `--profile=${path.join(examples, 'contract.json')}`,
      `--expected=${path.join(examples, 'contract-expected.json')}`,
      ...['json', 'html'].map((form) => `--report=${form}=${path.join(out, `contract.${form}`)}`),
    ])
    process.stdout.write(printed)
    return verdict(code, out)
  } finally {
    await server?.stop()
    await mailbox.close()
  }
}

/** Of the exit code of `svc-contract`. */
export function verdict(code: number | null, out: string): string | undefined {
  if (code === 0) return undefined
  const how = code === 1 ? 'fail the contract' : `could not be asked by the contract (${code})`
  return `The packed packages ${how}: see ${path.join(out, 'contract.html')}.`
}
