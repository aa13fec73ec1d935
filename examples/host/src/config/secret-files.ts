import { readFileSync } from 'node:fs'
import type { NamedEntry } from './entries.ts'

/** A file that a variable such as `SVC_SMTP_URL_FILE` names: it holds the value of a secret entry. */
export interface SecretFile {
  /** The variable. */
  readonly name: string
  readonly path: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** What the variables that end in `_FILE` say. */
export interface SecretFiles {
  /** Texts of the files, by the variable that each one stands for. */
  readonly values: ReadonlyMap<string, string>
  readonly files: readonly SecretFile[]
  /** Variables that were understood here. */
  readonly names: ReadonlySet<string>
}

/** The variable that names a file with a secret; undefined for an entry that is no secret or has an entry of that name. */
export function fileVariable(
  { env, entry }: NamedEntry,
  entries: readonly NamedEntry[],
): string | undefined {
  const name = `${env}_FILE`
  const isEntry = entries.some((each) => each.env === name)
  return entry.isSecret === true && !isEntry ? name : undefined
}

/** Reads the files of secrets, as containers and systemd hand them over. Faults never repeat what is in them. */
export function readSecretFiles(
  env: Environment,
  entries: readonly NamedEntry[],
  faults: string[],
): SecretFiles {
  const values = new Map<string, string>()
  const files: SecretFile[] = []
  const names = new Set<string>()
  for (const named of entries) {
    const name = fileVariable(named, entries)
    if (name === undefined) continue
    names.add(name)
    const path = env[name] ?? ''
    if (path === '') continue
    if ((env[named.env] ?? '') !== '') {
      faults.push(`${name}: not together with ${named.env}`)
      continue
    }
    files.push({ name, path })
    const text = readText(path)
    if (text === undefined) faults.push(`${name}: the file cannot be read`)
    else if (text === '') faults.push(`${name}: the file is empty`)
    else values.set(named.env, text)
  }
  return { values, files, names }
}

/** Without the line end that editors and `echo` leave. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch {
    return undefined
  }
}
