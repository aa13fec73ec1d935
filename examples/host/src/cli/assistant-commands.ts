import process from 'node:process'
import type { DocumentReport } from '@svc/oauth-core'
import type { Command } from 'commander'
import { subcommand } from './command.ts'
import { clean, type OutputOptions, print } from './output.ts'

/** `svc assistant`: clients that connect knowing only a URL. */
export function addAssistantCommands(program: Command): void {
  const assistant = program.command('assistant').description('AI assistants and what they publish.')
  subcommand(
    assistant,
    'check <url>',
    'Fetches the document that an assistant describes itself in, and says what is wrong with it.',
  ).action(async (url: string, options: OutputOptions) => {
    // Other commands do without it.
    const { checkClientDocument } = await import('@svc/oauth-core')
    const report = await checkClientDocument(url)
    print(options, report, inWords(report))
    if (report.fault !== undefined) process.exitCode = 1
  })
}

const OF = {
  address: 'The address cannot be the identifier of a client',
  answer: 'The document cannot be had',
  content: 'The document is not a valid description',
} as const

function inWords({
  at = 'content',
  document,
  fault,
  freshForS,
  status,
  url,
}: DocumentReport): string {
  if (document === undefined) {
    const answered = status === undefined ? '' : `, answered ${status}`
    return `${OF[at]}: ${clean(fault)}${answered}.`
  }
  const { authentication, isRefreshing, keysUri, name, redirectUris } = document
  const proof =
    authentication === 'none'
      ? 'by PKCE alone'
      : `by keys${keysUri === undefined ? ' in the document' : ` at ${clean(keysUri)}`}`
  return [
    `${clean(url)} is a valid description.`,
    `name: ${clean(name)}`,
    `proves itself: ${proof}`,
    `refresh tokens: ${isRefreshing ? 'yes' : 'no'}`,
    `used without being asked for again: ${freshForS} s`,
    'return addresses that are taken:',
    ...redirectUris.map((uri) => `  ${clean(uri)}`),
  ].join('\n')
}
