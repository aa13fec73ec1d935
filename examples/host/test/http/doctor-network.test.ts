import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import path from 'node:path'
import { HOUR_MS } from '@svc/platform'
import { indexKey, recordKey } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { freePort } from '@svc/testkit'
import { expect } from 'chai'
import { accountTypesWork } from '../../src/checks/account-types.ts'
import { backupAge } from '../../src/checks/backup.ts'
import { type Check, lineOf, runChecks, type Site } from '../../src/checks/check.ts'
import { MAIL_DNS_CHECKS, smtpVerify } from '../../src/checks/mail.ts'
import { createNames, DNS_CHECKS } from '../../src/checks/names.ts'
import { pushCredentials } from '../../src/checks/push.ts'
import { loadConfig } from '../../src/config/config.ts'
import { noteBackupVerified } from '../../src/storage/backup-record.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { closeAfterTest, suiteFolder } from '../support/for-test.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }

async function wordsOf<Context>(
  checks: readonly Check<Context>[],
  context: Context,
): Promise<string[]> {
  return (await runChecks(checks, context)).map(lineOf)
}

/** A server that answers what is said to it until the test is over. @returns its port */
async function smtpServer(name: string, answers: (said: string) => string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(`220 ${name} ESMTP\r\n`)
    socket.on('data', (data) => {
      const said = String(data).trim()
      if (said.startsWith('QUIT')) socket.end('221 bye\r\n')
      else socket.write(`${answers(said)}\r\n`)
    })
  })
  return portOf(server)
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfterTest(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port // listens on a port
}

/** The lines of the check of mails, with these entries. */
function verifySmtp(env: Record<string, string>, sites: readonly Site[] = []): Promise<string[]> {
  return wordsOf([smtpVerify], { config: loadConfig(env), sites })
}

async function dnsServer(...records: Parameters<typeof startDnsServer>) {
  const dns = await startDnsServer(...records)
  closeAfterTest(() => dns.close())
  return createNames({ servers: [dns.address] })
}

function memoryStore() {
  const store = sqliteStore({ file: ':memory:' })
  closeAfterTest(() => store.close())
  return store
}

/** @see operation.md 2.2 */
describe('checks of the network', () => {
  const folder = suiteFolder()

  it('dns.domain and dns.wildcard name the record to create', async () => {
    const names = await dnsServer({
      'alice.example.com': { a: '192.0.2.1' },
      '*.example.net': {},
    })
    const site = (domain: string) => ({ domain, appHost: `settings.${domain}`, isHttps: true })
    const nested = loadConfig({})
    const sites = [site('alice.example.com'), site('bob.example.com:8443'), site('c.localhost')]
    expect(await wordsOf(DNS_CHECKS, { config: nested, names, sites })).to.deep.equal([
      'ok       dns.domain         alice.example.com leads to 192.0.2.1.',
      'fault    dns.domain         bob.example.com does not resolve. Create an A or AAAA record bob.example.com with the address of this server.',
      'ok       dns.domain         c.localhost is a name of this machine.',
      'fault    dns.wildcard       *.alice.example.com does not resolve. Create an A or AAAA record *.alice.example.com with the address of this server.',
      'fault    dns.wildcard       *.bob.example.com does not resolve. Create an A or AAAA record *.bob.example.com with the address of this server.',
      'ok       dns.wildcard       *.c.localhost is a name of this machine.',
    ])
    const flat = loadConfig({ SVC_SUBDOMAINS: 'flat' })
    const [, wildcard] = await wordsOf(DNS_CHECKS, {
      config: flat,
      names,
      sites: [site('alice.example.com')],
    })
    expect(wildcard).to.include('Create an A or AAAA record *.example.com')
  })

  it('smtp.verify finds that nobody listens, and that the login is refused', async () => {
    const port = await smtpServer('mail.example', (said) => {
      if (said.startsWith('EHLO')) return '250-mail.example\r\n250 AUTH PLAIN'
      return said.includes(Buffer.from('\0good\0pass').toString('base64'))
        ? '235 welcome'
        : '535 no'
    })
    const verify = (user: string, at: number): Promise<string[]> =>
      verifySmtp({
        SVC_SMTP_URL: `smtp://${user}:pass@127.0.0.1:${at}?tls=off`,
        SVC_MAIL_FROM: 'svc@mail.example.org',
      })
    expect(await verify('good', port)).to.deep.equal([
      `ok       smtp.verify        The mail server 127.0.0.1:${port} lets us in; we say EHLO mail.example.org.`,
    ])
    expect(await verify('bad', port)).to.deep.equal([
      `fault    smtp.verify        The mail server 127.0.0.1:${port} does not let us in: EAUTH at AUTH PLAIN, "535 no", after EHLO mail.example.org. Look at SVC_SMTP_URL: host, port, TLS, user and password.`,
    ])
    const nobody = await verify('good', await freePort())
    expect(nobody[0]).to.include('does not let us in: ESOCKET at CONN')
  })

  it('smtp.verify shows the name said in EHLO and what the server answered', async () => {
    const port = await smtpServer('relay', (said) =>
      said === 'EHLO known.example.org'
        ? '250 relay'
        : `550-5.7.1 Who is\r\n550 5.7.1 ${said.split(' ')[1]}?`,
    )
    const place = `127.0.0.1:${port}`
    const own = { SVC_SMTP_URL: `smtp://${place}` }
    const remedy = 'Set SVC_MAIL_EHLO to a name of this machine that the mail server accepts.'
    expect(await verifySmtp({ ...own, SVC_MAIL_FROM: 'svc@mail.example.org' })).to.deep.equal([
      `fault    smtp.verify        The mail server ${place} does not let us in: EPROTOCOL at HELO, "550-5.7.1 Who is 550 5.7.1 mail.example.org?", after EHLO mail.example.org. ${remedy}`,
    ])
    const site = { domain: 'alice.example.com:8443', appHost: '', isHttps: true }
    expect((await verifySmtp(own, [site]))[0]).to.include('after EHLO alice.example.com.')
    expect(await verifySmtp({ ...own, SVC_MAIL_EHLO: 'known.example.org' })).to.deep.equal([
      `ok       smtp.verify        The mail server ${place} lets us in; we say EHLO known.example.org.`,
    ])
  })

  it('mail.dkim compares the record with the key, mail.spf wants both records', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const keyFile = path.join(folder, 'dkim.pem')
    writeFileSync(keyFile, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const recordOf = (key: typeof pair.publicKey): string =>
      `v=DKIM1; k=rsa; p=${key.export({ type: 'spki', format: 'der' }).toString('base64')}`
    const config = loadConfig({
      SVC_SMTP_URL: 'smtps://mail.example.org',
      SVC_MAIL_FROM: 'noreply@example.org',
      SVC_MAIL_DKIM_DOMAIN: 'example.org',
      SVC_MAIL_DKIM_SELECTOR: 's1',
      SVC_MAIL_DKIM_KEY_FILE: keyFile,
    })
    const asked = async (records: Parameters<typeof startDnsServer>[0]): Promise<string[]> =>
      wordsOf(MAIL_DNS_CHECKS, { config, names: await dnsServer(records) })
    expect(
      await asked({
        's1._domainkey.example.org': { txt: [recordOf(pair.publicKey)] },
        'example.org': { txt: ['v=spf1 mx -all'] },
        '_dmarc.example.org': { txt: ['v=DMARC1; p=quarantine'] },
      }),
    ).to.deep.equal([
      'ok       mail.dkim          The record s1._domainkey.example.org belongs to the key.',
      'ok       mail.spf           example.org has SPF and DMARC records.',
    ])
    const wrong = await asked({
      's1._domainkey.example.org': { txt: [recordOf(other.publicKey)] },
      'example.org': { txt: ['something else'] },
    })
    expect(wrong[0]).to.include(`holds another key than ${keyFile}. Create the TXT record`)
    expect(wrong.slice(1).map((line) => line.slice(0, 60))).to.deep.equal([
      'warning  mail.spf           example.org has no SPF record. C',
      'warning  mail.spf           example.org has no DMARC record.',
    ])
    expect((await asked({}))[0]).to.include('There is no TXT record s1._domainkey.example.org.')
  })

  it('push.credentials asks each provider for a token', async () => {
    const provider = http.createServer((request, response) => {
      const isGood = request.url === '/good'
      response.writeHead(isGood ? 200 : 400, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(isGood ? { access_token: 'x', expires_in: 3600 } : {}))
    })
    const base = `http://127.0.0.1:${await portOf(provider)}`
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const account = path.join(folder, 'fcm.json')
    const ask = (end: string, aheadMs = 0): Promise<string[]> => {
      writeFileSync(
        account,
        JSON.stringify({
          project_id: 'p',
          client_email: 'push@example.org',
          private_key_id: 'k',
          private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
          token_uri: `${base}/${end}`,
        }),
      )
      const config = loadConfig({
        SVC_NOTIFICATIONS_FCM_CREDENTIALS_FILE: account,
        SVC_NOTIFICATIONS_HUAWEI_SEND_MESSAGE: `${base}/send`,
        SVC_NOTIFICATIONS_HUAWEI_CLIENT_ID: 'id',
        SVC_NOTIFICATIONS_HUAWEI_CLIENT_SECRET: 'secret',
        SVC_NOTIFICATIONS_HUAWEI_TOKEN_URL: `${base}/${end}`,
        SVC_NOTIFICATIONS_IOS_CERTIFICATE_KEY_PATH: path.join(folder, 'none.pem'),
      })
      const clock = { now: () => Date.now() + aheadMs }
      return wordsOf([pushCredentials], { config, clock, log })
    }
    const remedy =
      'Look at the entries SVC_NOTIFICATIONS_* of this provider, and at the file they name.'
    expect(await ask('good')).to.deep.equal([
      'ok       push.credentials   FCM takes our credentials.',
      'ok       push.credentials   Huawei Push Kit takes our credentials.',
      `fault    push.credentials   APNs does not take our credentials: unreadable. ${remedy}`,
    ])
    expect((await ask('bad')).slice(0, 2)).to.deep.equal([
      `fault    push.credentials   FCM does not take our credentials: fcm_token_400. ${remedy}`,
      `fault    push.credentials   Huawei Push Kit does not take our credentials: huawei_token_400. ${remedy}`,
    ])
    const setClock =
      'Set the clock of this machine, and have it get its time from the network (NTP).'
    const [ahead = ''] = await ask('bad', 600_000)
    expect(ahead).to.match(
      /fcm_token_400_clock_ahead; the clock of this machine is (599|60\d) s ahead of theirs\. /,
    )
    expect(ahead).to.include(setClock).and.not.include(remedy)
    const [behind = ''] = await ask('good', -90_000)
    expect(behind).to.match(
      /^warning  push\.credentials   The clock of this machine is (89|9\d) s behind that of FCM\. /,
    )
    expect(behind).to.include(setClock)
  })

  it('account.types names each type of which no account gets new tokens', async () => {
    const store = memoryStore()
    const now = Date.UTC(2026, 10, 22)
    const ask = (): Promise<string[]> =>
      wordsOf([accountTypesWork], { config: loadConfig({}), store, clock: { now: () => now } })
    const failing = { since: now - HOUR_MS, at: now, class: 'config', reason: 'invalid_client' }
    expect(await ask()).to.deep.equal([
      'ok       account.types      Every account type in use gets new tokens.',
    ])
    const index = indexKey('account-types', 'account-type-health')
    await store.write([
      {
        op: 'put',
        key: recordKey('account-types', 'account-type-health', 'bank'),
        value: { accounts: [], failing },
        indexes: [{ index, sort: 'bank' }],
      },
    ])
    expect(await ask()).to.deep.equal([
      'fault    account.types      No account of type bank got new tokens since 2026-11-21T23:00:00.000Z: invalid_client. Compare its client id, secret and endpoints with what the provider shows for your app.',
    ])
  })

  it('backup.age warns when no backup was verified for 26 hours', async () => {
    const store = memoryStore()
    const now = Date.now()
    const ask = (): Promise<string[]> =>
      wordsOf([backupAge], { config: loadConfig({}), store, clock: { now: () => now } })
    const remedy = 'Make a backup every day, and verify it.'
    expect(await ask()).to.deep.equal([
      `warning  backup.age         No backup was verified yet. ${remedy}`,
    ])
    await noteBackupVerified(store, now - 25 * HOUR_MS)
    expect(await ask()).to.deep.equal([
      'ok       backup.age         The last verified backup is 25 h old.',
    ])
    await noteBackupVerified(store, now - 27 * HOUR_MS)
    expect(await ask()).to.deep.equal([
      `warning  backup.age         The last verified backup is 27 h old. ${remedy}`,
    ])
  })
})
