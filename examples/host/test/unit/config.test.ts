import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { loadConfig } from '../../src/config/config.ts'
import { flagshipOptions } from '../../src/config/flagship.ts'
import { fileSchema } from '../../src/config/entries.ts'
import { uiOverrides } from '../../src/config/overrides.ts'
import { parseSmtpUrl } from '../../src/config/smtp-url.ts'
import { faultsOf } from '../support/config-faults.ts'
import { testFolder } from '../support/for-test.ts'

let folder: string
beforeEach(() => {
  folder = testFolder()
})

function fileWith(content: unknown): string {
  const file = path.join(folder, 'config.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('loadConfig', () => {
  it('checks what is given as it would among all settings', () => {
    // With the check of the schema itself, which a start does without.
    const isValid = new Ajv({ allErrors: true, strict: true }).compile(fileSchema())
    const files: readonly unknown[] = [
      {},
      [],
      null,
      'text',
      { port: 0, mail: { from: '' }, unknown: 1, __proto__: { port: 'x' } },
      { limits: 7, mail: { unknown: true }, log: { level: 'loud' }, toString: 1 },
    ]
    for (const file of files) {
      const isGivenValid = new Ajv({ allErrors: true, strict: true }).compile(fileSchema(file))
      expect(isGivenValid(file)).to.equal(isValid(file))
      const faults = (errors: typeof isValid.errors) =>
        errors?.map(({ instancePath, message, params }) => ({ instancePath, message, params }))
      expect(faults(isGivenValid.errors)).to.deep.equal(faults(isValid.errors))
    }
  })

  it('tells the OAuth package which apps may be certified', () => {
    const roots = path.join(folder, 'roots.pem')
    writeFileSync(roots, 'PEM')
    const { flagship } = loadConfig({
      SVC_FLAGSHIP_APK_PACKAGE_NAMES: 'org.example.first,org.example.second',
      SVC_FLAGSHIP_PLAY_INTEGRITY_DECRYPTION_KEYS: 'AAAA',
      SVC_FLAGSHIP_APPLE_ENVIRONMENT: 'development',
      SVC_FLAGSHIP_APPLE_ROOTS_FILE: roots,
      SVC_FLAGSHIP_MAX_TOKEN_AGE: '5m',
    })
    expect(flagshipOptions(flagship)).to.deep.equal({
      apkPackageNames: ['org.example.first', 'org.example.second'],
      playIntegrityDecryptionKeys: ['AAAA'],
      appleEnvironment: 'development',
      trustRoots: { apple: ['PEM'] },
      maxTokenAgeMs: 300_000,
      skipCertification: false,
    })
    const missing = { googleRootsFile: path.join(folder, 'none.pem') }
    expect(() => flagshipOptions(missing)).to.throw(TypeError, 'SVC_FLAGSHIP_GOOGLE_ROOTS_FILE')
  })

  it('refuses to skip certification in production', () => {
    const skipping = { SVC_FLAGSHIP_SKIP_CERTIFICATION: 'on' }
    expect(loadConfig(skipping).flagship).to.include({ skipCertification: true })
    expect(faultsOf(() => loadConfig({ ...skipping, NODE_ENV: 'production' }))).to.deep.equal([
      'SVC_FLAGSHIP_SKIP_CERTIFICATION: not in production',
    ])
  })

  it('reads the environment', () => {
    const config = loadConfig({
      NODE_ENV: 'production',
      PATH: '/bin',
      SVC_DEMO: 'on',
      SVC_LIFETIMES_AUTHORIZATION_CODE: '2s',
      SVC_LIMITS_REQUESTS_PER_MINUTE: '0',
      SVC_MAIL_FROM_NAME: 'Provider',
      SVC_PORT: '0',
      SVC_SMTP_URL: '',
      SVC_TRUST_PROXY: 'true',
      UV_THREADPOOL_SIZE: '8',
    })
    expect(config).to.deep.include({
      isProduction: true,
      demo: true,
      port: 0,
      trustProxy: 1,
      threadPoolSize: 8,
      lifetimes: { authorizationCode: 2000 },
      mail: { fromName: 'Provider' },
    })
    expect(config.limits['requestsPerMinute']).to.equal(0)
    expect(config).to.not.have.property('smtpUrl')
  })

  it('takes hosts for confirmations, and nothing else in their place', () => {
    const hosts = 'pass.example,pass.example:8443'
    const config = loadConfig({ SVC_CONFIRM_HOSTS: hosts })
    expect(uiOverrides(config).confirm).to.deep.equal({
      authorizedHosts: ['pass.example', 'pass.example:8443'],
    })
    expect(uiOverrides(loadConfig({})).confirm).to.deep.equal({ authorizedHosts: [] })
    for (const wrong of ['https://pass.example', 'pass.example/', '*.example', 'a, b', 'a,,b']) {
      const faults = faultsOf(() => loadConfig({ SVC_CONFIRM_HOSTS: wrong }))
      expect(faults, wrong).to.have.lengthOf(1)
    }
  })

  it('reads the file, and lets the environment win', () => {
    const file = fileWith({ port: 9000, adminPort: 9001, lifetimes: { accessToken: '1h' } })
    const config = loadConfig({ SVC_CONFIG: file, SVC_PORT: '9100' })
    expect(config).to.deep.include({
      port: 9100,
      adminPort: 9001,
      lifetimes: { accessToken: 3_600_000 },
    })
  })

  it('reports every fault at once, each with its name', () => {
    const file = fileWith({ prot: 1, lifetimes: { accessToken: 5 } })
    const faults = faultsOf(() =>
      loadConfig({
        SVC_CONFIG: file,
        SVC_PORT: '80a',
        SVC_ADMIN_PORT: '70000',
        SVC_STORE: 'mysql://db',
        SVC_SUBDOMAINS: 'both',
        SVC_DEMO: 'maybe',
        SVC_TSL_CERT: 'x',
        SVC_TLS_KEY: 'key.pem',
        SVC_LIFETIMES_CSRF: 'soon',
        SVC_KEYS: 'a',
        SVC_KEYS_FILE: 'b',
      }),
    )
    expect(faults.map((fault) => fault.replace(/: .*/, '')).sort()).to.deep.equal([
      'SVC_ADMIN_PORT',
      'SVC_CONFIG',
      'SVC_CONFIG',
      'SVC_DEMO',
      'SVC_KEYS_FILE',
      'SVC_LIFETIMES_CSRF',
      'SVC_PORT',
      'SVC_STORE',
      'SVC_SUBDOMAINS',
      'SVC_TLS_CERT, SVC_TLS_KEY',
      'SVC_TSL_CERT',
    ])
    expect(faults).to.include('SVC_CONFIG: prot: unknown entry')
    expect(faults).to.include('SVC_TSL_CERT: unknown entry')
  })

  it('never repeats a value, since it may be a secret', () => {
    const faults = faultsOf(() =>
      loadConfig({ SVC_STORE: 'redis//:hunter2@db', SVC_ADMIN_TOKEN: 'hunter2' }),
    )
    expect(faults).to.have.lengthOf(2)
    expect(faults.join()).to.not.include('hunter2')
  })

  for (const [what, content, fault] of [
    ['that is not there', undefined, 'the file cannot be read'],
    ['that is not JSON', '{port: 1}', 'the file is not JSON'],
    ['that is no object', [], 'the whole file: must be object'],
  ] as const) {
    it(`refuses a file ${what}`, () => {
      const file = content === undefined ? path.join(folder, 'absent.json') : fileWith(content)
      const faults = faultsOf(() => loadConfig({ SVC_CONFIG: file }))
      expect(faults).to.deep.equal([`SVC_CONFIG: ${fault}`])
    })
  }
})

describe('parseSmtpUrl', () => {
  const accepted: [string, object][] = [
    ['smtps://mail.example', { host: 'mail.example', port: 465, useSsl: true }],
    ['smtp://mail.example', { host: 'mail.example', port: 25 }],
    ['smtp://mail.example:587', { host: 'mail.example', port: 587 }],
    ['smtp://mail.example?tls=off', { host: 'mail.example', port: 25, disableTls: true }],
    ['smtp://localhost:1025', { host: 'localhost', port: 1025, disableTls: true }],
    ['smtp://localhost:1025?tls=required', { host: 'localhost', port: 1025 }],
    ['smtp://[::1]:25', { host: '::1', port: 25, disableTls: true }],
    [
      'smtps://me%40home:p%3Ass@mail.example:4650',
      { host: 'mail.example', port: 4650, useSsl: true, username: 'me@home', password: 'p:ss' },
    ],
  ]
  for (const [url, options] of accepted) {
    it(`reads ${url}`, () => {
      expect(parseSmtpUrl(url)).to.deep.equal(options)
    })
  }

  for (const url of [
    'mail.example',
    'http://mail.example',
    'smtp://',
    'smtp://h?tls=maybe',
    'smtp://a%ZZ@h',
  ]) {
    it(`refuses ${url}`, () => {
      expect(faultsOf(() => parseSmtpUrl(url))).to.have.lengthOf(1)
    })
  }
})
