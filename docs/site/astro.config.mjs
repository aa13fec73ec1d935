import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import { readFileSync } from 'node:fs'

/** Written by build/main.ts: which version this is, and its navigation. */
const { version, sidebar } = JSON.parse(
  readFileSync(new URL('.generated/site.json', import.meta.url), 'utf8'),
)

export default defineConfig({
  base: version.base,
  outDir: `./dist${version.base}`,
  publicDir: './.generated/public',
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  telemetry: false,
  integrations: [
    starlight({
      title: 'Svc',
      description: 'Authentication, OAuth and notifications for personal-data servers.',
      logo: { src: './static/favicon.svg', alt: '' },
      favicon: '/favicon.svg',
      expressiveCode: {
        defaultProps: { frame: 'none', wrap: true },
        styleOverrides: { borderRadius: '0.625rem', frames: { frameBoxShadowCssValue: 'none' } },
      },
      customCss: ['./src/styles/site.css'],
      sidebar,
      pagefind: { ranking: { pageLength: 0.1, termFrequency: 1, termSaturation: 1.8, metaWeights: { title: 1 } } },
      components: {
        MarkdownContent: './src/components/markdown-content.astro',
        PageTitle: './src/components/page-title.astro',
      },
      plugins: [starlightLinksValidator({ errorOnRelativeLinks: true })],
    }),
  ],
})
