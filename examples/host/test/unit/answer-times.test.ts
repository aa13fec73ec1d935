import { expect } from 'chai'
import { HASH_WAIT_MS } from '../../../../packages/auth-ui/src/passphrase/hash-queue.ts'
import { DELETION_WAIT_MS } from '../../../../packages/connectors/src/accounts/delete-account.ts'
import { DEFAULT_LIFETIMES as CONNECTORS } from '../../../../packages/connectors/src/lifetimes.ts'
import { REVOCATION_MS } from '../../../../packages/connectors/src/token-client/revoke.ts'
import { ATTEMPT_MS as MAIL_MS } from '../../../../packages/notify/src/mail/smtp-transport.ts'
import { PATIENCE_MS as INSTALL_MS } from '../../../../packages/oauth-core/src/clients/linked-apps.ts'
import { CONNECTION_BOUNDS } from '@svc/platform'

/** What a handler waits for, one after the other, when everything takes as long as it may. Milliseconds. */
const LONGEST: Readonly<Record<string, readonly number[]>> = {
  'a provider sends the owner back': [CONNECTORS.lookup, CONNECTORS.call, CONNECTORS.lookup],
  'the owner is sent to a provider': [CONNECTORS.lookup],
  'an account is refreshed': [CONNECTORS.answer],
  'an account is deleted': [DELETION_WAIT_MS, REVOCATION_MS],
  'a linked client asks for its first tokens': [INSTALL_MS],
  'an owner logs in, whose hash is made anew and whose second step is mailed': [
    HASH_WAIT_MS,
    HASH_WAIT_MS,
    MAIL_MS,
  ],
}

describe('the time until an answer', () => {
  const ANSWER_MS = 25_000

  for (const [what, parts] of Object.entries(LONGEST)) {
    it(`is below 25 s when ${what}`, () => {
      expect(parts.reduce((sum, part) => sum + part, 0)).to.be.lessThan(ANSWER_MS)
    })
  }

  it('leaves time before the connection is taken for dead', () => {
    expect(CONNECTION_BOUNDS.silenceMs).to.be.at.least(ANSWER_MS + 5000)
  })
})
