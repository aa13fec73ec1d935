import { execFile } from 'node:child_process'

/** A program and its arguments; what stands in braces is replaced. No shell reads it. */
export type CommandTemplate = readonly string[]

/**
 * How an operator makes and removes an instance for a run; read from the file of `--operator`. The schema is
 * `schemas/operator.json` of the package.
 */
export interface Operator {
  /** Host of the instance, with `{run}`, such as `contract-{run}.example.org`; with a port where it has one. */
  readonly domain: string
  /** Where its mails go, with `{run}`. @defaultValue `owner-{run}@contract.example` */
  readonly email?: string
  /** Makes the instance `{domain}` for `{email}`, without a passphrase. */
  readonly create: CommandTemplate
  /** Prints a link that onboards `{domain}`; without it, what `create` prints is searched. */
  readonly onboardingLink?: CommandTemplate
  /** Removes `{domain}`. */
  readonly remove: CommandTemplate
  /** Puts the account type `{name}` from the JSON file `{file}`. */
  readonly accountType?: CommandTemplate
  /** Removes the account type `{name}`. */
  readonly removeAccountType?: CommandTemplate
  /** Moves the clock of the server on by `{seconds}`. */
  readonly advanceClock?: CommandTemplate
  /** Where the provider of the run listens, and how the server reaches it. */
  readonly provider?: {
    /** `address:port`; port 0 is chosen by the system. */
    readonly listen: string
    /** @defaultValue `http://` and where it listens */
    readonly url?: string
    /** More members of the account type, such as one that lets the server call its own network. */
    readonly entry?: Readonly<Record<string, unknown>>
  }
}

/** What a command said. */
export interface Said {
  readonly code: number
  readonly output: string
}

const COMMAND_MS = 120_000

/** Fills the braces of a template. */
export function filledCommand(
  template: CommandTemplate,
  values: Readonly<Record<string, string>>,
): readonly string[] {
  return template.map((word) => fill(word, values))
}

/** Fills the braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{([a-zA-Z]+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** Runs a command without a shell. @returns what it said, also when it failed */
export function execute([program = '', ...words]: readonly string[]): Promise<Said> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout: COMMAND_MS }, (error, stdout, stderr) => {
      const failed = error !== null && typeof error.code === 'number' ? error.code : -1
      const told = `${stdout}\n${stderr}`.trim()
      resolve({
        code: error === null ? 0 : failed,
        output: told === '' && error !== null ? error.message : told,
      })
    })
  })
}

/** Runs a command that has to do. @throws Error with what it said */
export async function mustExecute(command: readonly string[]): Promise<string> {
  const { code, output } = await execute(command)
  if (code !== 0) throw new Error(`${command[0] ?? ''} ended with ${code}: ${output.slice(0, 500)}`)
  return output
}
