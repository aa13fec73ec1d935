/** @type {import('next').NextConfig} */
export default {
  // What holds connections and keys is loaded once, by Node.
  serverExternalPackages: ['@svc/oauth-core'],
  poweredByHeader: false,
  // What inside.ts answers holds tokens: it is not compressed, and its paths are reached as they were asked for.
  compress: false,
  skipTrailingSlashRedirect: true,
  // `npm run types` does it: Next asks for a programming interface that TypeScript 7 does not have.
  typescript: { ignoreBuildErrors: true },
}
