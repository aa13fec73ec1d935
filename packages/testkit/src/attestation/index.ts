export {
  type AppAttestObject,
  type AppAttestOverrides,
  coseKey,
  encodeCbor,
  type MadeAppAttest,
  makeAppAttest,
} from './app-attest.ts'
export {
  type CertificateRecipe,
  type ExtensionRecipe,
  generateKeys,
  type IssuedCertificate,
  issueCertificate,
  type KeyAlgorithm,
  type KeyPair,
} from './certificate.ts'
export {
  APK_CERTIFICATE_DIGEST,
  APK_PACKAGE_NAME,
  APPLE_APP_ID,
  type AttestationPlatforms,
  type Authority,
  makeAuthority,
  makePlatforms,
} from './platforms.ts'
export { makePlayIntegrity, type PlayIntegrityOverrides } from './play-integrity.ts'
export { makeSafetyNet, type SafetyNetOverrides } from './safety-net.ts'
export { makeTlsCertificate, type TlsCertificate } from './tls-certificate.ts'
