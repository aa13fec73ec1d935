import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** What systemd would start a unit with. */
export interface UnitStart {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
}

/** All values that a unit file has for a name, such as `ExecStart`. */
export function valuesOf(text: string, name: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1))
}

/**
 * Reads from a unit how its server is started, for machines whose tests run without systemd.
 * @param root - what every absolute path of the unit is below
 */
export function readUnit(file: string, root: string): UnitStart {
  const text = readFileSync(file, 'utf8')
  const credentials = valuesOf(text, 'LoadCredential').map((value) => value.split(':', 2))
  const place = (value: string): string =>
    value.replaceAll('%S', `${root}/var/lib`).replaceAll(/%d\/(\w+)/g, (_all, name: string) => {
      const [, source = ''] = credentials.find(([each]) => each === name) ?? []
      return `${root}${source}`
    })
  const files = valuesOf(text, 'EnvironmentFile').map((name) => readFileSync(root + name, 'utf8'))
  const own = valuesOf(text, 'Environment').flatMap((value) =>
    value.split(' ').map((pair) => place(pair)),
  )
  return {
    command: root + (valuesOf(text, 'ExecStart')[0] ?? ''),
    env: { ...parsed(files.join('\n')), ...parsed(own.join('\n')) },
  }
}

function parsed(text: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']),
  )
}
