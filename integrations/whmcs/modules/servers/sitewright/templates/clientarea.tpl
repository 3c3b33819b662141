{if $unavailable}
  <p class="alert alert-warning">The website service cannot be reached at the moment. Try again in a few minutes.</p>
{/if}
{foreach $sites as $site}
  <p><a href="{$site.primaryUrl|escape}" rel="noopener" target="_blank">{$site.primaryDomain.domainName|escape}</a>{if !$site.live} (not published yet){/if}</p>
{/foreach}
<p><a class="btn btn-primary" href="{$signOn|escape}">Edit website</a></p>
