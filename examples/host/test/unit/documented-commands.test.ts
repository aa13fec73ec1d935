import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { expect } from 'chai'
import { createProgram } from '../../src/cli/program.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const DOCUMENTS = ['docs/*.md', 'packages/*/README.md', 'examples/host/README.md', 'README.md']
const SCRIPTS = ['examples/host/deploy/*', 'examples/host/deploy/systemd/*']

/** Command lines that a text shows: code in a sentence, and lines of code. */
function commandsOf(text: string): string[] {
  const inline = [...text.matchAll(/`(?:[^`\n]* )?(svc [^`]+)`/g)].map(
    ([, command = '']) => command,
  )
  const lines = [...text.matchAll(/^(?: {4}|\$ |ExecStart=|)?(?:\/\S+\/)?(svc [^\n#]+)/gm)]
  // In a table of commands two spaces begin what it does.
  const shown = [...inline, ...lines.map(([, command = '']) => command.split(/ {2,}/)[0] ?? '')]
  return shown.filter((each) => /^svc [a-z][a-z-]*(?: |$)/.test(each))
}

/** @returns what is wrong with a command line; undefined when there is such a command */
function faultOf(program: Command, line: string): string | undefined {
  let command = program
  for (const word of line.replace(/\\\n/g, ' ').trim().split(/\s+/).slice(1)) {
    if (/^[|>&;]/.test(word)) return undefined
    if (word.startsWith('-')) {
      const name = word.split('=')[0]
      const isKnown = command.options.some(({ long, short }) => long === name || short === name)
      if (!isKnown && name !== '--help') return `${line}: there is no ${name}`
    } else {
      if (command.commands.length === 0) continue
      const names = command.commands.map((each) => each.name())
      const missing = word.split('|').find((name) => !names.includes(name))
      if (missing !== undefined) return `${line}: there is no ${missing}`
      command = command.commands.find((each) => word.split('|')[0] === each.name()) ?? command
    }
  }
  return undefined
}

/** @see operation.md 7.10 */
describe('the commands that documents show', () => {
  const program = createProgram()

  for (const file of globSync([...DOCUMENTS, ...SCRIPTS], { cwd: ROOT })) {
    if (!statSync(path.join(ROOT, file)).isFile()) continue
    const commands = commandsOf(readFileSync(path.join(ROOT, file), 'utf8'))
    if (commands.length === 0) continue
    it(`are ones that there are, in ${file}`, () => {
      const faults = commands.map((line) => faultOf(program, line)).filter(Boolean)
      expect(faults).to.deep.equal([])
    })
  }

  it('are found out when there is none of that name, and no such option', () => {
    for (const [line, fault] of [
      ['svc backup make', 'there is no make'],
      ['svc instance create a.example.com --mail x', 'there is no --mail'],
      ['svc backup create --to /var/lib/svc/backups --keep 7d', undefined],
    ]) {
      const found = faultOf(program, line ?? '')
      if (fault === undefined) expect(found).to.equal(undefined)
      else expect(found).to.include(fault)
    }
    expect(commandsOf('run `svc status`, or\n\n    svc keys reseal\n')).to.deep.equal([
      'svc status',
      'svc keys reseal',
    ])
  })
})
