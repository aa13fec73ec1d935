import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { text } from 'node:stream/consumers'

/** What a file or standard input holds. Secrets come this way: arguments are seen by everybody on the machine. */
export async function readInput(file: string | undefined): Promise<string> {
  if (file === undefined || file === '-') {
    if (process.stdin.isTTY) process.stderr.write('Reading standard input; end it with Ctrl-D.\n')
    return text(process.stdin)
  }
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new Error(`The file ${file} cannot be read.`, { cause })
  }
}
