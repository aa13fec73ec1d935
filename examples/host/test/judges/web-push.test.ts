import { spawnSync } from 'node:child_process'
import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { loopbackFetch } from '@svc/testkit'
import { expect } from 'chai'
import { makeCertificates } from '../support/deploy/certificates.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'
import { PYTHON, pythonJudge } from '../support/judge.ts'
import { createToldOwner } from '../support/told-owner.ts'
import { callAdmin, createTourOwner } from '../support/tour-owner.ts'

const TOKEN = 'judge-admin-token-0123456789abcdef-01'
/** Reads a push as the browser does that the keys are of. The library is not the one that encrypts. */
const DECRYPT = `
import base64, sys
import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
secret, auth = sys.argv[1:]
key = ec.derive_private_key(int(secret, 16), ec.SECP256R1())
auth = bytes.fromhex(auth)
body = sys.stdin.buffer.read()
sys.stdout.buffer.write(http_ece.decrypt(body, private_key=key, auth_secret=auth))
`

describe('a push to a browser, read by http_ece of Python', function () {
  this.timeout(300_000)
  let host: HostProcess
  let service: Server
  let folder: string
  const received: { readonly encoding: unknown; readonly body: Buffer }[] = []
  const keys = createECDH('prime256v1')
  const auth = randomBytes(16)

  before(async () => {
    keys.generateKeys()
    folder = await mkdtemp(path.join(tmpdir(), 'svc-web-push-'))
    const { chain, key } = makeCertificates(folder, 'localhost')
    const identity = { cert: await readFile(chain), key: await readFile(key) }
    service = createServer(identity, async (request, response) => {
      const { 'content-encoding': encoding } = request.headers
      received.push({ encoding, body: await buffer(request) })
      response.writeHead(201).end()
    })
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    const server = createECDH('prime256v1')
    server.generateKeys()
    host = await spawnHost({
      env: {
        NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'),
        SVC_ADMIN_TOKEN: TOKEN,
        SVC_DEMO: 'off',
        SVC_DEMO_APPS: 'on',
        SVC_NOTIFICATIONS_TRUSTED_NETWORKS: '127.0.0.0/8',
        SVC_NOTIFICATIONS_VAPID_PUBLIC_KEY: server.getPublicKey('base64url'),
        SVC_NOTIFICATIONS_VAPID_PRIVATE_KEY: server.getPrivateKey('base64url'),
        SVC_NOTIFICATIONS_VAPID_SUBJECT: 'mailto:operator@example.com',
      },
    })
  })
  after(async () => {
    await host?.stop()
    service?.close()
    await rm(folder, { recursive: true })
  })

  function decrypt(libraries: string, secret: Buffer, body: Buffer): string | undefined {
    const args = ['-c', DECRYPT, secret.toString('hex'), auth.toString('hex')]
    const env = { ...process.env, PYTHONPATH: libraries }
    const { status, stdout } = spawnSync(PYTHON, args, { input: body, env })
    return status === 0 ? stdout.toString() : undefined
  }

  it('says what the app said, to the keys of the subscription alone', async () => {
    const { folder: libraries } = await pythonJudge(['http_ece==1.2.1', 'cryptography==50.0.2'], [])
    const admin = { port: host.adminPort, token: TOKEN }
    const run = { name: 'judged', store: 'sqlite', subdomains: 'nested', locale: 'en' } as const
    const owner = await createTourOwner(admin, run, 'alice')
    const { port } = service.address() as AddressInfo // listens on a port
    const told = createToldOwner(admin, owner, host.port)
    await told.addDevice('registry://safe', 'A browser', {
      notification_platform: 'webpush',
      notification_device_token: JSON.stringify({
        endpoint: `https://localhost:${port}/send/1`,
        keys: { p256dh: keys.getPublicKey('base64url'), auth: auth.toString('base64url') },
      }),
    })
    const path = `/instances/${owner.domain}/app-tokens`
    const { token, cookie } = (await callAdmin(admin, 'POST', path, { slug: 'safe' })) as {
      token: string
      cookie: string
    } // of the admin listener
    const attributes = {
      category: 'reminders',
      title: 'Ünïcode 😀',
      preferred_channels: ['mobile'],
    }
    const answer = await loopbackFetch({ port: host.port })(`${owner.origin}/notifications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        cookie,
        'content-type': 'application/vnd.api+json',
      },
      body: JSON.stringify({ data: { attributes } }),
    })
    expect(answer.status, await answer.text()).to.equal(201)
    await told.isTold('Ünïcode 😀', ({ status }) => status === 'sent')
    const [push] = received
    if (push === undefined) throw new Error('it was not sent to the browser')
    expect(push.encoding).to.equal('aes128gcm')
    const read = decrypt(libraries, keys.getPrivateKey(), push.body)
    expect(JSON.parse(read ?? 'null')).to.include({ title: 'Ünïcode 😀' })
    const others = createECDH('prime256v1')
    others.generateKeys()
    expect(decrypt(libraries, others.getPrivateKey(), push.body)).to.equal(undefined)
  })
})
