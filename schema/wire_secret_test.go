package schema

// secretSamples is one value of every type of the services secrets.*.
func secretSamples() map[string]any {
	shown := NamedSecret{Name: "partner", Hosts: []string{"https://a.org"}, TenantID: "17"}
	put := shown
	put.Value = "hush"
	return map[string]any{
		"secret":          put,
		"secret_put":      SecretPut{Name: "partner", Created: true},
		"secret_replaced": SecretPut{Name: "partner", Dropped: []string{"tenant_id"}},
		"secret_name":     SecretName{Name: "partner"},
		"secret_deleted":  SecretDeleted{Name: "partner", Deleted: true},
		"list_secrets":    ListSecrets{Limit: 5, Cursor: "x"},
		"secret_would_go": SecretDeleted{Name: "partner", Plans: 12, UsedBy: []string{"http/a"}, DryRun: true},
		"secret_page":     SecretPage{Secrets: []NamedSecret{shown}, Next: "x"},
	}
}
