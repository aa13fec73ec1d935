import type { Instance } from '@svc/platform'

/** Letters of other scripts, and signs, that are drawn like a Latin letter. Lower case. */
const DRAWN_ALIKE: ReadonlyMap<string, string> = new Map([
  ...pairs('авеһнкморстухіјѕԁԛԝг', 'abehhkmopctyxijsdqwr'),
  ...pairs('αβεηικνορτυχωγ', 'abenikvoptuxwy'),
  ...pairs('015!|', 'olsll'),
  ...pairs('ıłøđ', 'ilod'),
  // Of these four, each is taken for another.
  ['i', 'l'],
  ['j', 'l'],
])
const MARKS = /\p{M}/gu
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
const GAPS = /[\s\p{P}\p{S}]+/gu
/** A shorter name is found in too many others: then it must stand as a word. */
const LONG_ENOUGH = 4

/** Names that no app of others may wear: of the space, of the product, and of the apps that are installed. */
export function namesOfSpace(
  { publicName = '' }: Pick<Instance, 'publicName'>,
  productName: string,
  appNames: readonly string[],
): readonly string[] {
  return [...appNames, publicName, productName]
}

function pairs(from: string, to: string): (readonly [string, string])[] {
  const targets = [...to]
  return [...from].map((letter, at) => [letter, targets[at] ?? letter] as const)
}

/** A name as the eye takes it: after NFKC and case folding, letters that are drawn alike are one letter. */
function drawn(name: string): string {
  const plain = name.normalize('NFKC').toLowerCase().replace(INVISIBLE, '')
  const letters = [...plain.normalize('NFD').replace(MARKS, '')].map((letter) => {
    const first = DRAWN_ALIKE.get(letter) ?? letter
    return DRAWN_ALIKE.get(first) ?? first
  })
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w').replace(GAPS, ' ').trim()
}

/** The first of the names that another equals or contains, to the eye; undefined when it is none of them. */
export function imitated(name: string, names: readonly string[]): string | undefined {
  const seen = drawn(name)
  return names.find((other) => {
    const known = drawn(other)
    if (known === '') return false
    if (seen.replaceAll(' ', '') === known.replaceAll(' ', '')) return true
    return known.length >= LONG_ENOUGH ? seen.includes(known) : ` ${seen} `.includes(` ${known} `)
  })
}
