/** Which state of the project a site shows. */
export interface Version {
  /** As it is named in addresses: `next`, `latest` or `v0.4`. */
  readonly name: string
  /** Path of the site, such as `/next`. */
  readonly base: string
  /** `next` is unreleased, `old` has a successor, `latest` is what to use. */
  readonly state: 'next' | 'latest' | 'old'
}

/** The state of the main branch. */
export const NEXT: Version = { name: 'next', base: '/next', state: 'next' }
