/** A case of what a form of a new passphrase refuses: its fields over good ones, and the answer. */
export type RefusedPassphrase = readonly [
  what: string,
  fields: Readonly<Record<string, string | undefined>>,
  status: number,
  code: string,
]

/** What every form of a new passphrase refuses. @see login.md 3.1, 5.5 */
export const REFUSED_PASSPHRASES: readonly RefusedPassphrase[] = [
  ['an empty passphrase', { passphrase: '' }, 400, 'invalid_parameter'],
  ['no passphrase', { passphrase: undefined }, 400, 'invalid_parameter'],
  ['a passphrase over 1024 bytes', { passphrase: 'é'.repeat(513) }, 400, 'invalid_parameter'],
  ['a hint over 512 bytes', { hint: 'é'.repeat(257) }, 400, 'invalid_hint'],
  ['a key over 8 KiB', { key: 'x'.repeat(8193) }, 400, 'invalid_parameter'],
  [
    'a hint that is the raw passphrase',
    { passphrase: 'secret', hint: 'secret', iterations: '0' },
    400,
    'invalid_hint',
  ],
  ...[
    'plume cadran hibou tisane',
    'bmV3IGxvZ2luIHZhbHVl',
    'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU1=',
    'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0',
    'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0=\n',
    'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnU-U0=',
  ].map(
    (passphrase): RefusedPassphrase => [
      `${JSON.stringify(passphrase)}, which nobody derived`,
      { passphrase, iterations: '650000' },
      400,
      'invalid_parameter',
    ],
  ),
  ['too few iterations', { iterations: '49999' }, 422, 'kdf_iterations'],
  ['too many iterations', { iterations: '5000001' }, 422, 'kdf_iterations'],
  ['iterations that are no integer', { iterations: '65e4' }, 422, 'kdf_iterations'],
  ['negative iterations', { iterations: '-650000' }, 422, 'kdf_iterations'],
]
