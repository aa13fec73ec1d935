import { expect } from 'chai'
import * as exported from '../../src/index.ts'

describe('@svc/notify', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).toSorted()).to.deep.equal([
      'DEFAULT_LIFETIMES',
      'DEFAULT_LIMITS',
      'ERRORS',
      'MAIL_LOCALES',
      'MailError',
      'NOTIFY_LOG_EVENTS',
      'NOTIFY_RECORDS',
      'NotifyError',
      'checkPushCredentials',
      'createNotify',
      'createSystemMails',
      'isMailError',
      'parseAddress',
      'sampleAppMails',
      'sampleMails',
      'smtpTransport',
      'verifySmtp',
    ])
  })
})
