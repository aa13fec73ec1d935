import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'
import { clean, type OutputOptions, print } from './output.ts'

/** Command, member of the answer that is printed, and what it is. */
const CODES: readonly (readonly [name: string, member: string, description: string])[] = [
  ['session-code', 'session_code', 'Prints a code that opens a session in a browser, once.'],
  ['magic-code', 'magic_code', 'Prints a code of a magic link; --json also prints the link.'],
  ['email-verified-code', 'email_verified_code', 'Prints a code for the second factor, once.'],
]

/** `svc session-code|magic-code|email-verified-code <domain>` */
export function addCodeCommands(program: Command, connect: () => AdminClient): void {
  for (const [name, member, description] of CODES) {
    subcommand(program, `${name} <domain>`, description).action(
      async (domain: string, options: OutputOptions) => {
        const answer = await connect().call('POST', instancePath(domain, `/${name}`))
        print(options, answer, clean(answer[member]))
      },
    )
  }
}
