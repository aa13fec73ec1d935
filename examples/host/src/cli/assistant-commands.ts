import process from 'node:process'
import type { DocumentReport } from '@svc/oauth-core'
import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'
import { readInput } from './input.ts'
import { clean, listOf, type OutputOptions, print, table } from './output.ts'

/** `svc assistant`: clients that connect knowing only a URL. */
export function addAssistantCommands(program: Command, connect: () => AdminClient): void {
  const assistant = program.command('assistant').description('AI assistants and what they publish.')

  subcommand(
    assistant,
    'list [domain]',
    'Lists the connected assistants of an instance; without one, the documents that are kept.',
  ).action(async (domain: string | undefined, options: OutputOptions) => {
    if (domain === undefined) return listDocuments(connect(), options)
    const found = await connect().call('GET', instancePath(domain, '/assistants'))
    const rows = listOf(found['assistants']).map((each) => [
      each['id'],
      each['name'],
      each['host'],
      each['scopes'],
      each['ends_at'],
      each['last_used_at'],
    ])
    const words = table(['Id', 'Name', 'From', 'Scopes', 'Until', 'Last used'], rows)
    const closed = 'The owner lets no assistant connect.'
    print(options, found, found['allowed'] === false ? `${words}\n${closed}` : words)
  })

  subcommand(
    assistant,
    'end <domain> [id]',
    'Ends an assistant, or all of them; they may ask their owner again.',
  )
    .option('--all', 'every assistant of the instance')
    .action(
      async (
        domain: string,
        id: string | undefined,
        options: OutputOptions & { readonly all?: true },
      ) => {
        if ((id === undefined) === (options.all === undefined)) {
          throw new Error('Say the id of an assistant, or --all.')
        }
        if (id === undefined) {
          const { ended } = await connect().call('DELETE', instancePath(domain, '/assistants'))
          print(options, { ended }, `Ended ${clean(ended)}.`)
          return
        }
        const path = instancePath(domain, `/assistants/${encodeURIComponent(id)}`)
        await connect().call('DELETE', path)
        print(options, { ended: 1 }, 'Ended.')
      },
    )

  subcommand(
    assistant,
    'add <url>',
    'Keeps a copy of the document of an assistant, for when this server cannot fetch it.',
  )
    .requiredOption('--file <file>', 'the document; - reads standard input')
    .action(async (url: string, options: OutputOptions & { readonly file: string }) => {
      const text = await readInput(options.file)
      const kept = await connect().call('PUT', documentPath(url), { text })
      print(options, kept, `Kept the document of ${clean(kept['name'])}, ${clean(kept['url'])}.`)
    })

  subcommand(assistant, 'remove <url>', 'Forgets the copy of a document.').action(
    async (url: string, options: OutputOptions) => {
      await connect().call('DELETE', documentPath(url))
      print(options, { removed: url }, 'Removed.')
    },
  )

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

async function listDocuments(admin: AdminClient, options: OutputOptions): Promise<void> {
  const found = await admin.call('GET', DOCUMENTS)
  const rows = listOf(found['documents']).map((each) => [
    each['url'],
    each['name'],
    each['fetched_at'],
  ])
  print(options, found, table(['Address', 'Name', 'As of'], rows))
}

const DOCUMENTS = '/assistant-documents'

function documentPath(url: string): string {
  return `${DOCUMENTS}/${encodeURIComponent(url)}`
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
  const { authentication, isKeyOptional, isRefreshing, keysUri, name, redirectUris } = document
  const keys = `by keys${keysUri === undefined ? ' in the document' : ` at ${clean(keysUri)}`}`
  const proof =
    authentication === 'none'
      ? 'by PKCE alone'
      : `${keys}${isKeyOptional === true ? ', or by PKCE alone' : ''}`
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
