import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config/config.ts'
import { listEntries } from '../../src/config/entries.ts'
import { faultsOf } from '../support/config-faults.ts'
import { suiteFolder } from '../support/for-test.ts'

describe('secrets from files', () => {
  const folder = suiteFolder()

  function file(name: string, content: string): string {
    const place = path.join(folder, name)
    writeFileSync(place, content, { mode: 0o600 })
    return place
  }

  const faults = (env: Readonly<Record<string, string>>) => faultsOf(() => loadConfig(env))

  it('take the place of the variables, without the last line end', () => {
    const url = file('smtp', 'smtps://user:secret@mail.example.org\n')
    const store = file('store', 'redis://:secret@127.0.0.1:6379')
    const config = loadConfig({ SVC_SMTP_URL_FILE: url, SVC_STORE_FILE: store })
    expect(config).to.include({
      smtpUrl: 'smtps://user:secret@mail.example.org',
      store: 'redis://:secret@127.0.0.1:6379',
    })
    expect(config.secretFiles).to.deep.equal([
      { name: 'SVC_STORE_FILE', path: store },
      { name: 'SVC_SMTP_URL_FILE', path: url },
    ])
  })

  it('exist for every secret', () => {
    for (const { env, path: place, entry } of listEntries()) {
      if (entry.isSecret !== true || place === 'keys') continue
      const missing = path.join(folder, 'none')
      expect(faults({ [`${env}_FILE`]: missing })).to.deep.equal([
        `${env}_FILE: the file cannot be read`,
      ])
    }
    expect(faults({ SVC_PORT_FILE: file('port', '1') })).to.deep.equal([
      'SVC_PORT_FILE: unknown entry',
    ])
  })

  it('are refused beside the variable, and when they are empty or wrong, without a word of them', () => {
    const token = file('token', 'short-secret')
    expect(
      faults({
        SVC_ADMIN_TOKEN_FILE: token,
        SVC_NOTIFICATIONS_SMS_TOKEN: 'one',
        SVC_NOTIFICATIONS_SMS_TOKEN_FILE: token,
        SVC_SMTP_URL_FILE: file('empty', '\n'),
      }),
    ).to.deep.equal([
      'SVC_SMTP_URL_FILE: the file is empty',
      'SVC_NOTIFICATIONS_SMS_TOKEN_FILE: not together with SVC_NOTIFICATIONS_SMS_TOKEN',
      'SVC_ADMIN_TOKEN: must match pattern "^[\\x21-\\x7e]{32,256}$"',
    ])
  })
})
