import process from 'node:process'
import type { Command } from 'commander'
import { completionScript, SHELLS, type Word } from './completion-scripts.ts'

/** `svc completion` */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion <shell>')
    .description(`Prints what a shell needs to complete commands: ${SHELLS.join(', ')}.`)
    .action((shell: string) => {
      process.stdout.write(completionScript(shell, wordsOf(program)))
    })
}

/** What may follow each command, by the names that lead to it: `''` is `svc` itself. */
function wordsOf(program: Command): ReadonlyMap<string, readonly Word[]> {
  const found = new Map<string, readonly Word[]>()
  function visit(command: Command, path: readonly string[]): void {
    const options = [...command.options.map((each) => each.long ?? each.short ?? ''), '--help']
    found.set(path.join(' '), [
      ...command.commands.map((each) => ({ word: each.name(), about: each.description() })),
      ...options.map((word) => ({
        word,
        about: command.options.find(({ long }) => long === word)?.description ?? 'shows help',
      })),
    ])
    for (const each of command.commands) visit(each, [...path, each.name()])
  }
  visit(program, [])
  return found
}
