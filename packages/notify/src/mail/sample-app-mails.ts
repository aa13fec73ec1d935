import { type Instance, MINUTE_MS, originOfApp } from '@svc/platform'
import type { AppMail, DigestItem } from './app-mails.ts'

const LONG_MESSAGE = [
  'The rent of January was taken twice: on the 2nd, as every month, and again on the 5th.',
  'What you can do:\n- ask your landlord to pay one of them back;\n- or ask the bank to undo it, within eight weeks.',
  'A word without end: https://bank.example/accounts/0123456789abcdef0123456789abcdef0123456789abcdef/operations',
].join('\n\n')

/**
 * Mails of notifications as this server lays them out, with made-up words, by a name: to look at, with
 * `notify.render`. `time` is when they came, milliseconds since the epoch.
 */
export function sampleAppMails(instance: Instance, time: number): ReadonlyMap<string, AppMail> {
  const settings = `${originOfApp(instance, 'settings')}/?section=notifications`
  const links = {
    settings,
    unsubscribe: `${instance.origin}/notifications/unsubscribe?t=0123456789abcdef0123456789abcdef`,
  }
  const action = { name: 'Bank', url: `${originOfApp(instance, 'bank')}/#/balances/details` }
  const bank = { sender: 'Bank', title: 'Your balance is below 100 €', links }
  const message = 'The account “Daily” has 84.20 € left.'
  const items = itemsBefore(time, action.url)
  const mails: readonly (readonly [string, AppMail])[] = [
    ['notification', { template: 'notification', variables: { ...bank, message, action } }],
    ['notification.plain', { template: 'notification', variables: { ...bank, message } }],
    [
      'notification.long',
      {
        template: 'notification',
        variables: {
          sender: 'Accounts and everything that belongs to them',
          links,
          action,
          title: `Two payments of the same amount to the same recipient within ${'a few days, '.repeat(8)}or so`,
          message: LONG_MESSAGE,
        },
      },
    ],
    [
      'notification.rtl',
      {
        template: 'notification',
        variables: {
          sender: 'תמונות',
          links,
          action: { ...action, name: 'תמונות' },
          title: 'האלבום “קיץ 2026” שותף איתך',
          message: 'דנה שיתפה 12 תמונות.\nThe album is called “Summer”.',
        },
      },
    ],
    [
      'notification.markup',
      {
        template: 'notification',
        variables: {
          ...bank,
          action,
          markup: {
            html: '<p style="margin:0 0 16px;">Three accounts, <strong>one of them low</strong>:</p>\n<ul style="margin:0 0 16px;padding-inline-start:24px;"><li>Daily: 84.20 €</li><li>Savings: 2 310.00 €</li><li>Joint: 640.55 €</li></ul>',
            text: 'Three accounts, one of them low:\n\n- Daily: 84.20 €\n- Savings: 2 310.00 €\n- Joint: 640.55 €',
          },
        },
      },
    ],
    [
      'digest',
      { template: 'digest', variables: { items: items.slice(0, 3), links: { settings } } },
    ],
    [
      'digest.many',
      { template: 'digest', variables: { items: repeat(items, 110), links: { settings } } },
    ],
  ]
  return new Map(mails)
}

function itemsBefore(time: number, url: string): readonly DigestItem[] {
  const words: readonly (readonly [sender: string | undefined, title: string, message: string])[] =
    [
      ['Bank', 'Your balance is below 100 €', 'The account “Daily” has 84.20 € left.'],
      ['Drive', 'Dana shared “Contracts” with you', ''],
      [undefined, 'Your space is nearly full', 'Your apps will soon be unable to save anything.'],
      ['תמונות', 'האלבום “קיץ 2026” שותף איתך', 'דנה שיתפה 12 תמונות.'],
    ]
  return words.map(([sender, title, message], at) => ({
    ...(sender !== undefined && { sender }),
    title,
    message,
    ...(sender === 'Bank' && { url }),
    time: time - at * 47 * MINUTE_MS,
  }))
}

function repeat(items: readonly DigestItem[], count: number): readonly DigestItem[] {
  return Array.from({ length: count }, (_, at) => items.slice(at % items.length)).flatMap(
    ([item]) => (item === undefined ? [] : [item]),
  )
}
