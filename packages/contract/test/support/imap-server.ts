import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterTest } from '../../../testkit/src/after-test.ts'

/** A server of IMAP with one inbox: as much of RFC 9051 as a client needs that reads and deletes. */
export class ImapServer {
  /** Mails by their UID. */
  readonly mails = new Map<number, string>()
  /** Commands that came, without their tags. */
  readonly commands: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(password: string) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.write('* OK [CAPABILITY IMAP4rev1 UIDPLUS] ready\r\n')
      createInterface({ input: socket }).on('line', (line) => {
        const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
        this.commands.push(command)
        socket.write(this.#answer(tag, command, password))
      })
    })
  }

  /** Closed after the test. */
  static async start(password: string): Promise<ImapServer> {
    const made = new ImapServer(password)
    afterTest(() => made.close())
    made.#server.listen(0, '127.0.0.1')
    await once(made.#server, 'listening')
    return made
  }

  /** Of an account with this password. */
  address(password: string): string {
    const { port } = this.#server.address() as AddressInfo // it listens on an address
    return `imap://owner:${encodeURIComponent(password)}@127.0.0.1:${port}`
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #answer(tag: string, command: string, password: string): string {
    const ok = (...lines: readonly string[]): string =>
      `${lines.map((line) => `* ${line}\r\n`).join('')}${tag} OK done\r\n`
    const [name = '', ...words] = command.split(' ')
    const verb = name.toUpperCase() === 'UID' ? (words[0] ?? '').toUpperCase() : name.toUpperCase()
    switch (verb) {
      case 'CAPABILITY':
        return ok('CAPABILITY IMAP4rev1 UIDPLUS')
      case 'LOGIN':
        return command.includes(password) ? ok() : `${tag} NO [AUTHENTICATIONFAILED] wrong\r\n`
      case 'LIST':
      case 'LSUB':
        return ok(`${verb} (\\HasNoChildren) "/" INBOX`)
      case 'SELECT':
      case 'EXAMINE':
        return ok(
          'FLAGS (\\Seen \\Deleted)',
          `${this.mails.size} EXISTS`,
          'OK [UIDVALIDITY 1] valid',
          'OK [UIDNEXT 100] next',
        )
      case 'SEARCH':
        return ok(`SEARCH ${[...this.mails.keys()].join(' ')}`.trimEnd())
      case 'FETCH':
        return this.#fetched(tag, words[1] ?? '')
      case 'EXPUNGE': {
        const uid = Number(words[1])
        this.mails.delete(uid)
        return ok('1 EXPUNGE')
      }
      case 'LOGOUT':
        return ok('BYE')
      default:
        return ok()
    }
  }

  #fetched(tag: string, set: string): string {
    const uids = set.split(',').map(Number)
    const lines = [...this.mails].flatMap(([uid, raw], at) =>
      uids.includes(uid)
        ? [`* ${at + 1} FETCH (UID ${uid} BODY[] {${Buffer.byteLength(raw)}}\r\n${raw})\r\n`]
        : [],
    )
    return `${lines.join('')}${tag} OK done\r\n`
  }
}
