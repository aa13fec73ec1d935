import { readFileSync } from 'node:fs'
import type { FlagshipOptions } from '@svc/oauth-core'
import type { ConfigGroup } from './entry.ts'

const LIST = { type: 'string', pattern: '^[^,\\s]+(,[^,\\s]+)*$', defaultText: 'none' } as const

/** Which apps may be certified by their platforms. Lists are separated by commas. @see oauth.md 4.2 */
export const FLAGSHIP_ENTRIES: ConfigGroup = {
  apkPackageNames: { ...LIST, description: 'Android: package names of the app.' },
  apkCertificateDigests: {
    ...LIST,
    description: 'Android: SHA-256 of the certificates that sign it, standard base64.',
  },
  playIntegrityDecryptionKeys: {
    ...LIST,
    isSecret: true,
    description: 'Android: decryption keys of Play Integrity, standard base64.',
  },
  playIntegrityVerificationKeys: {
    ...LIST,
    description: 'Android: verification keys of Play Integrity, standard base64.',
  },
  appleAppIds: { ...LIST, description: 'iOS: `TEAMID.bundle` of the app.' },
  appleEnvironment: {
    type: 'string',
    enum: ['production', 'development'],
    default: 'production',
    description: "iOS: which of Apple's environments attests; the other one never passes.",
  },
  appleRootsFile: {
    type: 'string',
    defaultText: 'those pinned in the package',
    description: 'iOS: PEM file of the roots to trust instead.',
  },
  googleRootsFile: {
    type: 'string',
    defaultText: 'those pinned in the package',
    description: 'Android: PEM file of the roots to trust instead.',
  },
  maxTokenAge: {
    type: 'duration',
    defaultText: '`10m`',
    description: "How old a token of Google's may be.",
  },
  skipCertification: {
    type: 'boolean',
    default: false,
    description:
      'Every client counts as certified and may have scope `*`. For development: refused when `NODE_ENV` is `production`.',
  },
}

/** The values of {@link FLAGSHIP_ENTRIES} that are set. */
export interface FlagshipValues {
  readonly apkPackageNames?: string
  readonly apkCertificateDigests?: string
  readonly playIntegrityDecryptionKeys?: string
  readonly playIntegrityVerificationKeys?: string
  readonly appleAppIds?: string
  readonly appleEnvironment?: 'production' | 'development'
  readonly appleRootsFile?: string
  readonly googleRootsFile?: string
  /** Milliseconds. */
  readonly maxTokenAge?: number
  readonly skipCertification?: boolean
}

const LISTS = [
  'apkPackageNames',
  'apkCertificateDigests',
  'playIntegrityDecryptionKeys',
  'playIntegrityVerificationKeys',
  'appleAppIds',
] as const

/**
 * What `createOAuth` takes of them.
 * @throws TypeError naming the entry whose file cannot be read
 */
export function flagshipOptions(values: FlagshipValues): FlagshipOptions {
  const { appleEnvironment, appleRootsFile, googleRootsFile, maxTokenAge } = values
  const lists = LISTS.flatMap((name) => {
    const text = values[name]
    return text === undefined ? [] : [[name, text.split(',')] as const]
  })
  const apple = appleRootsFile === undefined ? {} : { apple: [read(appleRootsFile, 'APPLE')] }
  const google = googleRootsFile === undefined ? {} : { google: [read(googleRootsFile, 'GOOGLE')] }
  return {
    ...Object.fromEntries(lists),
    ...(appleEnvironment !== undefined && { appleEnvironment }),
    trustRoots: { ...apple, ...google },
    ...(maxTokenAge !== undefined && { maxTokenAgeMs: maxTokenAge }),
    skipCertification: values.skipCertification === true,
  }
}

function read(path: string, platform: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new TypeError(`SVC_FLAGSHIP_${platform}_ROOTS_FILE: the file cannot be read`, { cause })
  }
}
