import { main } from '../../src/cli/program.ts'

/** Runs the program as a shell would. @returns its exit code, and all that it printed */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly said: string }> {
  const said: string[] = []
  const code = await main(words, {
    out: (text) => void said.push(text),
    err: (text) => void said.push(text),
    memory: () => 0,
    environment,
    signal: new AbortController().signal,
  })
  return { code, said: said.join('') }
}
