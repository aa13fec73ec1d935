import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { timeBudget } from './time-budget.ts'

/** A mail as it arrived. */
export interface ReceivedMail extends Email {
  /** Envelope sender. */
  readonly envelopeFrom: string
  /** Envelope recipients. */
  readonly envelopeTo: readonly string[]
  /** Name that the client said in EHLO. */
  readonly clientName: string
  /** The message as sent. */
  readonly raw: string
}

export interface MailboxOptions {
  /** Answers the next deliveries: an error refuses the mail with its `responseCode` (550 by default). */
  readonly refuse?: (mail: ReceivedMail) => Refusal | undefined
  /** Answers RCPT, by the name that the client said in EHLO. */
  readonly refuseClient?: (clientName: string) => Refusal | undefined
}

type Refusal = Error & { responseCode?: number }

/** A real SMTP server on loopback that keeps what it is given. */
export interface Mailbox {
  readonly port: number
  /** `smtp://127.0.0.1:<port>`. */
  readonly url: string
  /** Everything received, oldest first. */
  readonly mails: readonly ReceivedMail[]
  /**
   * The first mail, already here or arriving, that the predicate accepts.
   * @throws Error when the time budget of `limitMs` (5 000) is over
   */
  waitForMail(predicate?: (mail: ReceivedMail) => boolean, limitMs?: number): Promise<ReceivedMail>
  /** Forgets what arrived so far. */
  clear(): void
  close(): Promise<void>
}

interface Waiter {
  readonly accepts: (mail: ReceivedMail) => boolean
  readonly resolve: (mail: ReceivedMail) => void
}

/** Starts a mailbox on 127.0.0.1 and a port the system chooses. */
export async function openMailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const waiters = new Set<Waiter>()

  const deliver = (mail: ReceivedMail): void => {
    mails.push(mail)
    for (const waiter of waiters) {
      if (!waiter.accepts(mail)) continue
      waiters.delete(waiter)
      waiter.resolve(mail)
    }
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo: (_address, session, done) => {
      done(options.refuseClient?.(session.hostNameAppearsAs))
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        receive(Buffer.concat(chunks), session).then(
          (mail) => {
            const refusal = options.refuse?.(mail)
            if (refusal === undefined) deliver(mail)
            done(refusal)
          },
          (error: Error) => done(error),
        )
      })
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
  // A broken client connection is the client's affair; without a listener it would end the test process.
  server.on('error', () => {})
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.server.address() as AddressInfo

  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails,
    waitForMail: (accepts = () => true, limitMs = 5000) => {
      const here = mails.find(accepts)
      if (here !== undefined) return Promise.resolve(here)
      const budgetMs = timeBudget(limitMs)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters.delete(waiter)
          const seen = mails.map((mail) => mail.subject ?? '(no subject)').join(', ') || 'none'
          reject(new Error(`no such mail within ${budgetMs} ms; arrived: ${seen}`))
        }, budgetMs)
        const waiter: Waiter = {
          accepts,
          resolve: (mail) => {
            clearTimeout(timer)
            resolve(mail)
          },
        }
        waiters.add(waiter)
      })
    },
    clear: () => {
      mails.length = 0
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function receive(
  raw: Buffer,
  { envelope, hostNameAppearsAs }: Pick<SMTPServerSession, 'envelope' | 'hostNameAppearsAs'>,
): Promise<ReceivedMail> {
  return {
    ...(await PostalMime.parse(raw)),
    envelopeFrom: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    envelopeTo: envelope.rcptTo.map((recipient) => recipient.address),
    clientName: hostNameAppearsAs,
    raw: raw.toString('utf8'),
  }
}
